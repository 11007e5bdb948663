package openai

import (
	"context"
	"iter"
	"net/http"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/internal/infra/model/answer"
)

var _ writ.Provider = (*Provider)(nil)

// Provider is one server that speaks chat completions. It is safe for
// concurrent use.
type Provider struct {
	client   *model.Client
	settings *settings
	thoughts bool // the server wants its reasoning back
}

// New validates the options and builds the provider. Errors are *writ.Error
// with code CONFIG that name the field.
func New(opts model.Options) (*Provider, error) {
	client, err := model.NewClient(opts, "/chat/completions")
	if err != nil {
		return nil, err
	}
	return &Provider{client: client, settings: newSettings(), thoughts: wantsThoughts(client.Host())}, nil
}

// wantsThoughts names the services whose thinking models answer 400 to a
// conversation whose tool calls come without the reasoning that led to them.
func wantsThoughts(host string) bool {
	switch strings.ToLower(host) {
	case "api.deepseek.com", "api.moonshot.ai", "api.moonshot.cn":
		return true
	}
	return false
}

// Name is the provider's name in the configuration.
func (p *Provider) Name() string { return p.client.Name() }

// Stream makes one attempt; see [writ.Provider].
func (p *Provider) Stream(ctx context.Context, req *writ.Request) iter.Seq2[writ.ModelEvent, error] {
	return func(yield func(writ.ModelEvent, error) bool) {
		body, sent, err := p.encode(req)
		if err != nil {
			yield(writ.ModelEvent{}, &writ.ModelError{Kind: writ.ModelInvalid, Msg: "encode the request: " + p.client.Clean(err.Error())})
			return
		}
		header := http.Header{}
		if key := p.client.APIKey(); key != "" {
			header.Set("Authorization", "Bearer "+key)
		}
		x := answer.Exchange{Client: p.client, Request: req, Body: body, Header: header, Wire: newWire(p.client, req)}
		x.Play(ctx, func(ev writ.ModelEvent, err error) bool {
			return yield(ev, p.settings.learn(req.Model, sent, err))
		})
	}
}
