package wire

import (
	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/agents/coder"
	"github.com/writ-dev/writ/internal/agents/loop"
	"github.com/writ-dev/writ/internal/agents/planner"
	"github.com/writ-dev/writ/internal/agents/qa"
	"github.com/writ-dev/writ/internal/infra/config"
)

// buildAgents makes the agents of the core with the settings of their roles.
func buildAgents(c *config.Config) (map[string]writ.Agent, error) {
	settings := func(name string) loop.Settings {
		temperature, tokens := roleSettings(c, name)
		return loop.Settings{Temperature: temperature, MaxTokens: tokens}
	}
	agents := map[string]writ.Agent{}
	for name, build := range map[string]func(loop.Settings) (writ.Agent, error){
		"planner": planner.New, "coder": coder.New, "qa": qa.New,
	} {
		a, err := build(settings(name))
		if err != nil {
			return nil, err
		}
		agents[name] = a
	}
	return agents, nil
}
