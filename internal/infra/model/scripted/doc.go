// Package scripted is a model that plays a script: turns per agent, in order.
//
// It is the demo's model and a test's. It says so wherever it shows: its name
// is "scripted" and so is its model's. A script is a Go value or a JSON file:
//
//	{"agents": {"planner": [{"calls": [{"name": "submit_plan", "args": {…}}]}],
//	            "coder": [{"text": "done", "delay_ms": 200, "repeat": true}],
//	            "*": [{"text": "ok", "repeat": true}]}}
//
// Answers go through the same builder as those of real servers, so a script
// cannot have a call executed that a server could not. Past the end of its
// turns an agent gets an error, never a made-up answer.
package scripted
