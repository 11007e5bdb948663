package anthropic

import (
	"context"
	"iter"
	"net/http"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/internal/infra/model/answer"
)

// version is the API's version that this package speaks.
const version = "2023-06-01"

var _ writ.Provider = (*Provider)(nil)

// Provider is one server that speaks the messages API. It is safe for
// concurrent use.
type Provider struct {
	client *model.Client
}

// New validates the options and builds the provider. Errors are *writ.Error
// with code CONFIG that name the field.
func New(opts model.Options) (*Provider, error) {
	client, err := model.NewClient(opts, "/messages")
	if err != nil {
		return nil, err
	}
	return &Provider{client: client}, nil
}

// Name is the provider's name in the configuration.
func (p *Provider) Name() string { return p.client.Name() }

// Stream makes one attempt; see [writ.Provider].
func (p *Provider) Stream(ctx context.Context, req *writ.Request) iter.Seq2[writ.ModelEvent, error] {
	return func(yield func(writ.ModelEvent, error) bool) {
		body, err := p.encode(req)
		if err != nil {
			yield(writ.ModelEvent{}, &writ.ModelError{Kind: writ.ModelInvalid, Msg: "encode the request: " + p.client.Clean(err.Error())})
			return
		}
		header := http.Header{}
		header.Set("Anthropic-Version", version)
		if key := p.client.APIKey(); key != "" {
			header.Set("X-Api-Key", key)
		}
		x := answer.Exchange{Client: p.client, Request: req, Body: body, Header: header, Wire: newWire(p.client, req)}
		x.Play(ctx, yield)
	}
}
