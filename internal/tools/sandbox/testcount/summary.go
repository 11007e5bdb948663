package testcount

import (
	"regexp"
	"strings"
)

// summaryRules is the table of what runners print at their end.
func summaryRules() []rule {
	re := regexp.MustCompile
	parts := re(`(\d+) ([a-z]+)`)
	return []rule{
		// go test in text form: a package, or a single test with -v.
		{"ok", re(`^ok\s+\S+\s+(?:\(cached\)|[\d.]+s)(.*)$`), takeGoPackage},
		{"[no test files]", re(`^\?\s+\S+\s+\[no test files\]`), func(t *text, _ []string) { t.add(0, 0, 0) }},
		{"--- ", re(`^\s*--- (PASS|FAIL|SKIP): \S+ \(`), takeGoTest},
		{"[build failed]", re(`^FAIL\s+\S+ \[(?:build|setup) failed\]`), func(t *text, _ []string) { t.add(0, 1, 0) }},
		// pytest
		{" in ", re(`^(?:=+ )?((?:\d+ [a-z]+(?:, )?)+) in [\d.]+s\b`), func(t *text, m []string) { takeWords(t, parts.FindAllStringSubmatch(m[1], -1)) }},
		{"no tests ran", re(`^(?:=+ )?no tests ran in `), func(t *text, _ []string) { t.add(0, 0, 0) }},
		// unittest
		{"Ran ", re(`^Ran (\d+) tests? in [\d.]+s`), takeUnittestRan},
		{"OK", re(`^OK(?: \((.*)\))?$`), takeUnittestVerdict},
		{"FAILED", re(`^FAILED \((.*)\)$`), takeUnittestVerdict},
		{"NO TESTS RAN", re(`^NO TESTS RAN`), takeUnittestVerdict},
		// node --test: TAP and spec
		{"pass ", re(`^(?:#|ℹ) pass (\d+)$`), func(t *text, m []string) { t.add(number(m[1]), 0, 0) }},
		{"fail ", re(`^(?:#|ℹ) fail (\d+)$`), func(t *text, m []string) { t.add(0, number(m[1]), 0) }},
		{"cancelled ", re(`^(?:#|ℹ) cancelled (\d+)$`), func(t *text, m []string) { t.add(0, number(m[1]), 0) }},
		{"skipped ", re(`^(?:#|ℹ) skipped (\d+)$`), func(t *text, m []string) { t.add(0, 0, number(m[1])) }},
		{"todo ", re(`^(?:#|ℹ) todo (\d+)$`), func(t *text, m []string) { t.add(0, 0, number(m[1])) }},
		{"js", re(`^(?:✔|ok \d+ -) \S*[/\\]\S*\.[cm]?js(?: \([\d.]+ms\))?$`), func(t *text, _ []string) { t.nodeFiles++ }},
		// jest, vitest, mocha
		{"total", re(`^Tests:\s+(.*?),? ?\d+ total`), func(t *text, m []string) { takeWords(t, parts.FindAllStringSubmatch(m[1], -1)) }},
		{"Tests  ", re(`^\s*Tests  (.*) \(\d+\)\s*$`), func(t *text, m []string) { takeWords(t, parts.FindAllStringSubmatch(m[1], -1)) }},
		{"No test", re(`^(?:No tests found|No test files found)`), func(t *text, _ []string) { t.add(0, 0, 0) }},
		{" passing", re(`^\s*(\d+) passing\b`), func(t *text, m []string) { t.add(number(m[1]), 0, 0) }},
		{" failing", re(`^\s*(\d+) failing\b`), func(t *text, m []string) { t.add(0, number(m[1]), 0) }},
		{" pending", re(`^\s*(\d+) pending$`), func(t *text, m []string) { t.add(0, 0, number(m[1])) }},
		// cargo test, Deno
		{"test result:", re(`^test result: \S+ (\d+) passed; (\d+) failed; (\d+) ignored`), take3},
		{"passed | ", re(`^(?:ok|FAILED) \| (\d+) passed.*? \| (\d+) failed(?:.*? \| (\d+) ignored)?`), take3},
		// Surefire (the totals, not the lines of each class), Gradle
		{"Tests run:", re(`^(?:\[\w+\]\s+)?Tests run: (\d+), Failures: (\d+), Errors: (\d+), Skipped: (\d+)\s*$`), takeSurefire},
		{"tests completed", re(`^(\d+) tests? completed(?:, (\d+) failed)?(?:, (\d+) skipped)?`), takeTotal},
		// RSpec, minitest, .NET, PHPUnit
		{" example", re(`^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?`), takeTotal},
		{" runs, ", re(`^(\d+) runs, \d+ assertions, (\d+) failures, (\d+) errors, (\d+) skips`), takeSurefire},
		{"Passed:", re(`Failed:\s+(\d+), Passed:\s+(\d+), Skipped:\s+(\d+), Total:`), func(t *text, m []string) { t.add(number(m[2]), number(m[1]), number(m[3])) }},
		{"OK (", re(`^OK \((\d+) tests?, \d+ assertions?\)`), func(t *text, m []string) { t.add(number(m[1]), 0, 0) }},
		{"Assertions:", re(`^Tests: (\d+), Assertions: \d+(.*)\.$`), takePHPUnit},
	}
}

func takeGoPackage(t *text, m []string) {
	if strings.Contains(m[1], "[no tests to run]") {
		t.add(0, 0, 0)
		return
	}
	t.known = true
	t.goOK++
}

func takeGoTest(t *text, m []string) {
	switch m[1] {
	case "PASS":
		t.add(1, 0, 0)
	case "FAIL":
		t.add(0, 1, 0)
	case "SKIP":
		t.add(0, 0, 1)
	}
}

func take3(t *text, m []string) { t.add(number(m[1]), number(m[2]), number(m[3])) }

// takeWords adds counts by the word behind each.
func takeWords(t *text, words [][]string) {
	for _, w := range words {
		n := number(w[1])
		switch w[2] {
		case "passed", "xpassed":
			t.add(n, 0, 0)
		case "failed", "error", "errors":
			t.add(0, n, 0)
		case "skipped", "xfailed", "todo", "pending":
			t.add(0, 0, n)
		}
	}
}

// takeSurefire reads total, failures, errors and skipped.
func takeSurefire(t *text, m []string) {
	failed, skipped := number(m[2])+number(m[3]), number(m[4])
	t.add(max(0, number(m[1])-failed-skipped), failed, skipped)
}

// takeTotal reads total, failed and skipped.
func takeTotal(t *text, m []string) {
	failed, skipped := number(m[2]), number(m[3])
	t.add(max(0, number(m[1])-failed-skipped), failed, skipped)
}

func takeUnittestRan(t *text, m []string) {
	t.python += number(m[1])
	t.known = true
}

// takeUnittestVerdict splits what unittest ran by its last line: "OK",
// "OK (skipped=1)" or "FAILED (failures=1, errors=2)".
func takeUnittestVerdict(t *text, m []string) {
	if t.python == 0 {
		return
	}
	var failed, skipped int
	if len(m) > 1 {
		for part := range strings.SplitSeq(m[1], ", ") {
			name, value, _ := strings.Cut(part, "=")
			switch name {
			case "failures", "errors", "unexpected successes":
				failed += number(value)
			case "skipped", "expected failures":
				skipped += number(value)
			}
		}
	}
	ran := t.python
	t.python = 0
	t.add(max(0, ran-failed-skipped), min(failed, ran), min(skipped, ran))
}

func takePHPUnit(t *text, m []string) {
	var failed, skipped int
	for part := range strings.SplitSeq(m[2], ", ") {
		name, value, _ := strings.Cut(part, ": ")
		switch name {
		case "Failures", "Errors":
			failed += number(value)
		case "Skipped", "Incomplete":
			skipped += number(value)
		}
	}
	t.add(max(0, number(m[1])-failed-skipped), failed, skipped)
}
