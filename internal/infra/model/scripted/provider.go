package scripted

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model/answer"
	"github.com/writ-dev/writ/internal/infra/model/count"
)

// Name is the name of the provider and of its model.
const Name = "scripted"

var _ writ.Provider = (*Provider)(nil)

// Provider plays one script. It is safe for concurrent use: calls of one agent
// take its turns in the order in which they come.
type Provider struct {
	script  Script
	counter *count.Counter

	mu   sync.Mutex
	next map[string]int
}

// New validates the script and builds its player.
func New(script Script) (*Provider, error) {
	if err := script.validate(); err != nil {
		return nil, fmt.Errorf("scripted model: %w", err)
	}
	return &Provider{script: script, counter: count.New(), next: map[string]int{}}, nil
}

// Name is "scripted".
func (p *Provider) Name() string { return Name }

// Left lists the agents that have turns nobody asked for, with their number;
// turns that repeat are not counted.
func (p *Provider) Left() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := map[string]int{}
	for agent, turns := range p.script.Agents {
		for _, t := range turns[min(p.next[agent], len(turns)):] {
			if !t.Repeat {
				left[agent]++
			}
		}
	}
	return left
}

// take moves an agent's script on by one turn.
func (p *Provider) take(agent string) (Turn, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := agent
	if _, own := p.script.Agents[key]; !own {
		key = "*"
	}
	turns := p.script.Agents[key]
	i := p.next[key]
	if i >= len(turns) {
		return Turn{}, false
	}
	if !turns[i].Repeat {
		p.next[key]++
	}
	return turns[i], true
}

// Stream plays the agent's next turn; see [writ.Provider].
func (p *Provider) Stream(ctx context.Context, req *writ.Request) iter.Seq2[writ.ModelEvent, error] {
	return func(yield func(writ.ModelEvent, error) bool) {
		turn, ok := p.take(req.Agent)
		if !ok {
			yield(writ.ModelEvent{}, &writ.ModelError{Kind: writ.ModelInvalid, Msg: fmt.Sprintf("the script has no turn left for %q", req.Agent)})
			return
		}
		pl := &play{p: p, req: req, turn: turn, b: answer.New(req), yield: yield}
		if merr, stopped := pl.run(ctx); merr != nil && !stopped {
			merr.Partial = pl.b.Partial()
			merr.Partial.Usage = pl.b.PartialUsage(nil, p.counter)
			yield(writ.ModelEvent{}, merr)
		}
	}
}

// play is one turn being played.
type play struct {
	p     *Provider
	req   *writ.Request
	turn  Turn
	b     *answer.Builder
	yield func(writ.ModelEvent, error) bool
}

// run yields everything but a terminal error. stopped says that the caller
// broke off.
func (pl *play) run(ctx context.Context) (merr *writ.ModelError, stopped bool) {
	if merr := wait(ctx, time.Duration(pl.turn.DelayMS)*time.Millisecond); merr != nil {
		return merr, false
	}
	if merr, stopped := pl.words(ctx); merr != nil || stopped {
		return merr, stopped
	}
	for _, c := range pl.turn.Calls {
		call, err := pl.b.Open("", c.Name)
		if err == nil {
			err = pl.b.Append(call, string(c.Args))
		}
		if err != nil {
			return answer.Endless(err), false
		}
	}
	if pl.turn.Stall {
		<-ctx.Done()
		return cancelled(ctx), false
	}
	if pl.turn.Fail != "" {
		return &writ.ModelError{Kind: pl.turn.Fail, Msg: "the script says so"}, false
	}
	stop := pl.turn.Stop
	if stop == "" {
		stop = writ.StopEnd
	}
	resp := pl.b.Response(stop)
	resp.Model = Name
	var reported *writ.ModelUsage
	if u := pl.turn.Usage; u != nil {
		reported = &writ.ModelUsage{Input: u.Input, CacheRead: u.Cached, Output: u.Output}
	}
	resp.Usage = pl.b.Usage(reported, pl.p.counter)
	pl.yield(writ.ModelEvent{Done: resp}, nil)
	return nil, true
}

// words yields reasoning and text piece by piece, as a server would.
func (pl *play) words(ctx context.Context) (*writ.ModelError, bool) {
	send := func(events []writ.ModelEvent, err error) (*writ.ModelError, bool) {
		if err != nil {
			return answer.Endless(err), false
		}
		for _, ev := range events {
			if !pl.yield(ev, nil) {
				return nil, true
			}
		}
		if ctx.Err() != nil {
			return cancelled(ctx), false
		}
		return nil, false
	}
	if merr, stopped := send(pl.b.Reasoning(pl.turn.Reasoning)); merr != nil || stopped {
		return merr, stopped
	}
	for piece := range strings.SplitAfterSeq(pl.turn.Text, " ") {
		if merr, stopped := send(pl.b.Text(piece)); merr != nil || stopped {
			return merr, stopped
		}
	}
	return send(pl.b.Flush(), nil)
}

func wait(ctx context.Context, d time.Duration) *writ.ModelError {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return cancelled(ctx)
	case <-t.C:
		return nil
	}
}

func cancelled(ctx context.Context) *writ.ModelError {
	cause := context.Cause(ctx)
	return &writ.ModelError{Kind: writ.ModelTransport, Msg: "the call was ended: " + cause.Error(), Err: cause}
}
