// Package eventbus tells everybody in the process who wants to know what
// happens to tasks, while it happens.
//
// The model: one [Bus], any number of publishers, any number of subscriptions.
// A [Subscription] has a bounded queue of its own. What is published goes into
// the queue of each subscription that asked for the task, or is left out of
// it; nobody waits.
//
// Guarantees:
//
//   - [Bus.Publish] never blocks and never fails, whatever a subscriber does.
//     A subscriber that is slow, stuck or gone costs itself events and costs
//     nobody else anything.
//   - Events of one task reach a subscription in the order in which they were
//     published, provided that one goroutine at a time publishes for the task;
//     package journal does. Between tasks there is no order.
//   - A subscription sees every event that is published after Subscribe
//     returned and before Close was called, or is told what it missed: once an
//     event of a task does not fit, that subscription gets no further stored
//     event of the task until it has asked [Subscription.Lagged]. So the
//     numbers of a task that come out of Events have no hole before Lagged
//     named the first lost one.
//   - After Close returned, the channel of Events holds what was queued and is
//     closed; nothing is published into it any more.
//
// What it does not do: it keeps nothing. Whoever starts late or has lagged
// reads the store, which holds every event with a number; a subscriber that
// subscribes first, reads the store then, and drops what it has seen already,
// loses and repeats nothing (journal.Follow does exactly that). Live-only
// events, which have no number, are left out without notice when the queue is
// full: they cannot be read again. It does not cross processes.
package eventbus
