package wire

import (
	"fmt"
	"strings"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/config"
	"github.com/writ-dev/writ/internal/infra/model"
	"github.com/writ-dev/writ/internal/infra/model/anthropic"
	"github.com/writ-dev/writ/internal/infra/model/count"
	"github.com/writ-dev/writ/internal/infra/model/openai"
	"github.com/writ-dev/writ/internal/infra/model/price"
	"github.com/writ-dev/writ/internal/infra/model/router"
)

// models is the router, nil where no model is configured, and what each role
// would use.
type models struct {
	router *router.Router
	wanted func(agent string) string
}

// mainProvider is the name of the endpoint under model: in the configuration.
const mainProvider = "main"

// buildModels makes the providers and the chains of the configuration.
func buildModels(o Options, c *config.Config) (models, error) {
	m := models{wanted: func(string) string { return c.Model.Name }}
	counter := count.New()
	providers := map[string]writ.Provider{}
	if o.Provider != nil {
		providers[mainProvider] = o.Provider
	} else if c.Model.BaseURL == "" || c.Model.Name == "" && len(c.Model.Routes) == 0 {
		return m, nil
	} else {
		p, err := newProvider(o, c, counter, mainProvider, c.Model.Wire, c.Model.BaseURL, mainKeyEnv(c))
		if err != nil {
			return m, err
		}
		providers[mainProvider] = p
	}
	for name, p := range c.Providers {
		built, err := newProvider(o, c, counter, name, p.Wire, p.BaseURL, p.APIKeyEnv)
		if err != nil {
			return m, err
		}
		providers[name] = built
	}
	r, err := router.New(router.Options{
		Chains: chains(c, providers), Count: counter, Cost: price.Cost,
		Breaker: router.Breaker{Failures: c.Model.Breaker.Failures, Window: c.Model.Breaker.Window.Std(), Cooldown: c.Model.Breaker.Cooldown.Std()},
	})
	m.router = r
	return m, err
}

// mainKeyEnv is the variable that holds the main endpoint's key: the named
// one, else the wire's usual one.
func mainKeyEnv(c *config.Config) string {
	switch {
	case c.Model.APIKeyEnv != "":
		return c.Model.APIKeyEnv
	case c.Model.Wire == "anthropic":
		return "ANTHROPIC_API_KEY"
	default:
		return "OPENAI_API_KEY"
	}
}

func newProvider(o Options, c *config.Config, counter *count.Counter, name, wire, baseURL, keyEnv string) (writ.Provider, error) {
	opts := model.Options{
		Name: name, BaseURL: baseURL, APIKey: o.env(keyEnv), Count: counter,
		FirstByte: c.Model.Timeouts.FirstByte.Std(), Idle: c.Model.Timeouts.Idle.Std(),
	}
	if keyEnv == "" {
		opts.APIKey = ""
	}
	if wire == "anthropic" {
		return anthropic.New(opts)
	}
	return openai.New(opts)
}

// chains resolves the fall-back order of a task type. A name with a provider's
// prefix is that provider's model; any other belongs to the main endpoint.
func chains(c *config.Config, providers map[string]writ.Provider) func(writ.TaskType, string) []router.Target {
	resolve := func(name string) router.Target {
		if p, rest, ok := strings.Cut(name, "/"); ok && providers[p] != nil {
			return router.Target{Provider: providers[p], Model: rest}
		}
		return router.Target{Provider: providers[mainProvider], Model: name}
	}
	return func(t writ.TaskType, _ string) []router.Target {
		names := c.Model.Routes[string(t)]
		if len(names) == 0 {
			names = []string{c.Model.Name}
		}
		targets := make([]router.Target, 0, len(names))
		for _, n := range names {
			targets = append(targets, resolve(n))
		}
		return targets
	}
}

// roleSettings are a role's sampling settings in the configuration.
func roleSettings(c *config.Config, name string) (temperature *float64, maxTokens int) {
	r := c.Model.Roles[name]
	return r.Temperature, r.MaxOutputTokens
}

// describe says in a few words which model is configured.
func describe(c *config.Config) string {
	if c.Model.BaseURL == "" || c.Model.Name == "" {
		return "none: writ init names one"
	}
	return fmt.Sprintf("%s at %s (%s)", c.Model.Name, c.Model.BaseURL, c.Model.Wire)
}
