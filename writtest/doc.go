// Package writtest helps those who extend Writ: a conformance suite for each
// seam, and fakes of what stands on the seam's other side.
//
// [TestTool] and [TestAgent] prove that an implementation keeps what
// its interface promises; every implementation of Writ's own runs them too.
// [Workspace] is a task's guarded view of files, in memory, and [ModelServer]
// a model service on the loopback interface that plays a script.
//
// The package imports the root package, go-cmp and the standard library only.
// Its fakes enforce the rules that a tool or an agent can run into; they are no
// substitute for the real guard, and nothing of the product uses them.
package writtest
