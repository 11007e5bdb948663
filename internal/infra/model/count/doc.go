// Package count estimates how many tokens a text is, without a tokenizer.
//
// Every vocabulary cuts words, digits, blanks and punctuation in much the same
// way, so a text is walked once and each run of one class of characters is
// priced as byte-pair vocabularies of 100,000 to 200,000 entries cut it. What
// a model's own vocabulary does differently is learned: a [Counter] keeps for
// each model the ratio of reported to estimated prompt tokens, as a moving
// average that starts at 1.15.
//
// Estimates are for budgets, windows and the label "estimated"; they never
// stand for a number that a server reported. There are no tables, so the
// package costs nothing until it is used.
package count
