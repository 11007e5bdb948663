// Package testcount reads from a test runner's own output how many tests ran,
// passed, failed and were skipped, and which failures can be placed in a file.
//
// A [Counter] stands between a command and what is kept of its output, so the
// counts do not depend on how much is kept. `go test` is asked for its JSON
// stream and the text that a person would have seen is made from it again; all
// other runners are recognised by their summary lines, whatever started them:
// go test in text form, pytest, unittest, node --test, jest, vitest, mocha,
// cargo test, Maven Surefire, Gradle, RSpec, minitest, .NET, PHPUnit, Deno.
//
// Run counts every test that the runner names, skipped ones included, as most
// runners do themselves: nothing was tested where Run equals Skipped. Counts
// that cannot be read are nil, never zero; zero says that the runner itself
// found no tests. A test can print what it likes, so counts are evidence beside
// the exit code, never in its place.
//
// Input is foreign: lines are cut at a bound, findings are capped, and nothing
// in it can make the package fail.
package testcount
