package model

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model/count"
)

// The defaults of the two clocks.
const (
	DefaultFirstByte = 60 * time.Second
	DefaultIdle      = 60 * time.Second
)

// Options configure one adapter. Name and BaseURL are required.
type Options struct {
	// Name is the provider's name in the configuration and in events.
	Name string
	// BaseURL is where the API begins, with or without its version segment and
	// a trailing slash: "https://api.example.com", ".../v1", ".../v1/".
	BaseURL string
	// APIKey is sent as the wire demands; empty sends no credentials.
	APIKey string
	// Headers are sent with every request, beside those of the wire.
	Headers map[string]string
	// HTTPClient is copied and its redirect policy replaced. Nil means one with
	// TLS defaults and the proxies of the environment.
	HTTPClient *http.Client
	// FirstByte bounds the wait for the answer's headers, Idle each silence
	// after them. Zero means the default of a minute.
	FirstByte time.Duration
	Idle      time.Duration
	// Count estimates tokens where the server reports none. Nil means a new one.
	Count *count.Counter
	// Now reads the clock, for Retry-After dates. Nil means time.Now.
	Now func() time.Time
}

// fill validates the options and puts the defaults in.
func (o *Options) fill() (*url.URL, error) {
	if o.Name == "" {
		return nil, invalid("name", "is empty")
	}
	base, err := url.Parse(o.BaseURL)
	switch {
	case err != nil:
		// The parser's error would repeat the text, which may hold a password.
		return nil, invalid("base_url", "is not a URL")
	case base.Scheme != "http" && base.Scheme != "https", base.Host == "":
		return nil, invalid("base_url", "must begin with http:// or https:// and name a host")
	case base.User != nil:
		return nil, invalid("base_url", "must not hold a user or password; name the key's variable in api_key_env")
	case base.Fragment != "":
		return nil, invalid("base_url", "must not have a fragment")
	case o.FirstByte < 0:
		return nil, invalid("timeouts.first_byte", "is negative")
	case o.Idle < 0:
		return nil, invalid("timeouts.idle", "is negative")
	}
	if !oneLine(o.APIKey) {
		return nil, invalid("api key", "is more than one line or holds control characters")
	}
	for name, value := range o.Headers {
		if name == "" || strings.ContainsAny(name, " \t\r\n:") || !oneLine(value) {
			return nil, invalid("headers", fmt.Sprintf("%q is not a header of one line", name))
		}
	}
	if o.FirstByte == 0 {
		o.FirstByte = DefaultFirstByte
	}
	if o.Idle == 0 {
		o.Idle = DefaultIdle
	}
	if o.Count == nil {
		o.Count = count.New()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return base, nil
}

func invalid(field, why string) error {
	return &writ.Error{Code: writ.CodeConfig, Op: "model provider", Msg: field + " " + why}
}

func oneLine(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] == 0x7f {
			return false
		}
	}
	return true
}

// endpoint joins a base URL and a call. A base without a version segment gets
// "/v1"; one that already names the call, or has a query, is taken as it is.
func endpoint(base *url.URL, call string) string {
	u := *base
	path := strings.TrimRight(u.Path, "/")
	switch {
	case strings.HasSuffix(path, call):
	case u.RawQuery != "" || versioned(path):
		path += call
	default:
		path += "/v1" + call
	}
	u.Path, u.RawPath = path, ""
	return u.String()
}

// versioned reports whether a path has a segment such as v1, v4 or v1beta.
func versioned(path string) bool {
	for seg := range strings.SplitSeq(path, "/") {
		if len(seg) > 1 && seg[0] == 'v' && seg[1] >= '0' && seg[1] <= '9' {
			return true
		}
	}
	return false
}
