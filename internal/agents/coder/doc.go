// Package coder writes code: one step of a plan at a time, in files that the
// step names and no other.
//
// A step is given to the model up to a bounded number of times. Each further
// attempt carries the last error and a narrower instruction. What a step did
// is read from the staged files before and after the attempt, never from what
// the model says; a last attempt that changed none of the step's files is a
// failed step. A model without tool calls may answer with whole files as JSON;
// they go through the same tools, and one refused file takes the batch back.
package coder
