package model

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model/sse"
	"github.com/writ-dev/writ/internal/infra/show"
)

// maxText is how much of a server's own words an error repeats, in characters.
const maxText = 200

// ErrPromptCut marks a truncated error whose cause is the server's context
// window: the same request would be cut again.
var ErrPromptCut = errors.New("the server cut the prompt")

// broken says what a failed connection or read means: a timeout of ours, an end
// of the caller's context, or a transport error.
func (c *Client) broken(ctx context.Context, err error) *writ.ModelError {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, errFirstByte):
		return &writ.ModelError{Kind: writ.ModelTimeout, Err: errFirstByte,
			Msg: fmt.Sprintf("%s did not begin to answer within %s", c.host, c.opts.FirstByte)}
	case errors.Is(cause, errIdle):
		return &writ.ModelError{Kind: writ.ModelTimeout, Err: errIdle,
			Msg: fmt.Sprintf("%s sent nothing for %s in the middle of an answer", c.host, c.opts.Idle)}
	case cause != nil:
		return &writ.ModelError{Kind: writ.ModelTransport, Msg: "the call was ended: " + c.Clean(cause.Error()), Err: cause}
	case errors.Is(err, sse.ErrTooLong):
		return &writ.ModelError{Kind: writ.ModelProtocol, Msg: err.Error(), Err: sse.ErrTooLong}
	}
	var cert *tls.CertificateVerificationError
	if errors.As(err, &cert) {
		return &writ.ModelError{Kind: writ.ModelInvalid, Msg: c.Clean("the certificate of " + c.host + " is not accepted: " + cert.Err.Error())}
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return &writ.ModelError{Kind: writ.ModelTransport, Msg: "the server closed the connection before the answer was complete", Err: io.ErrUnexpectedEOF}
	}
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err // without the method and the URL
	}
	return &writ.ModelError{Kind: writ.ModelTransport, Msg: c.Clean(c.host + ": " + err.Error()), Err: err}
}

// refusal is the error of a status outside 200 to 299.
func (c *Client) refusal(resp *http.Response, raw []byte) *writ.ModelError {
	p, ok := problemOf(raw)
	text := p.Message
	if !ok {
		text = string(raw)
	}
	e := &writ.ModelError{Status: resp.StatusCode, Msg: c.Clean(text), RetryAfter: retryAfter(resp.Header, c.opts.Now())}
	e.Kind = kindOfStatus(resp.StatusCode, p)
	if resp.StatusCode >= 300 && resp.StatusCode <= 399 {
		e.Msg = "the server redirects elsewhere, and a key is sent to no other host"
		if to, err := resp.Location(); err == nil {
			e.Msg += ": set base_url for " + c.Clean(to.Scheme+"://"+to.Host)
		}
	}
	if e.Msg == "" {
		e.Msg = http.StatusText(resp.StatusCode)
	}
	return e
}

func kindOfStatus(status int, p problem) writ.ModelErrorKind {
	switch {
	case p.context() && status < 500:
		return writ.ModelContext
	case p.quota():
		// No waiting brings money: the next model of the chain may have some.
		return writ.ModelAuth
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusPaymentRequired:
		return writ.ModelAuth
	case status == http.StatusTooManyRequests:
		return writ.ModelRate
	case status == http.StatusRequestEntityTooLarge:
		return writ.ModelContext
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly, status >= 500:
		return writ.ModelOverload
	default:
		return writ.ModelInvalid
	}
}

// ErrorObject returns the error that a JSON text holds, or nil. Unknown kinds
// of errors become fallback.
func (c *Client) ErrorObject(raw []byte, fallback writ.ModelErrorKind) *writ.ModelError {
	if !bytes.Contains(raw, []byte(`"error"`)) && !bytes.Contains(raw, []byte(`"detail"`)) {
		return nil // most pieces of a stream are read once only
	}
	p, ok := problemOf(raw)
	if !ok {
		return nil
	}
	kind := fallback
	word := strings.ToLower(p.Type + " " + p.Code)
	status, _ := strconv.Atoi(p.Code) // some gateways put the status there
	switch {
	case p.context():
		kind = writ.ModelContext
	case p.quota():
		kind = writ.ModelAuth
	case strings.Contains(word, "rate_limit"):
		kind = writ.ModelRate
	case strings.Contains(word, "authentication"), strings.Contains(word, "permission"), strings.Contains(word, "api_key"):
		kind = writ.ModelAuth
	case strings.Contains(word, "overloaded"), strings.Contains(word, "server_error"), strings.Contains(word, "api_error"), strings.Contains(word, "timeout"), strings.Contains(word, "unavailable"):
		kind = writ.ModelOverload
	case strings.Contains(word, "invalid"), strings.Contains(word, "not_found"):
		kind = writ.ModelInvalid
	case status >= 400:
		kind = kindOfStatus(status, p)
	}
	msg := c.Clean(p.Message)
	if msg == "" {
		msg = "the server answered with an error object"
	}
	return &writ.ModelError{Kind: kind, Msg: msg}
}

// problem is an error object, whichever of its common shapes it had.
type problem struct{ Message, Type, Code string }

// problemOf finds {"error": "text"} and {"error": {…}}, on either wire, and
// the bare {"type":"error"…} and {"object":"error","message":…} forms.
func problemOf(raw []byte) (problem, bool) {
	var outer struct {
		Error   json.RawMessage `json:"error"`
		Object  string          `json:"object"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
		Type    string          `json:"type"`
		Code    json.RawMessage `json:"code"`
	}
	if json.Unmarshal(raw, &outer) != nil {
		return problem{}, false
	}
	switch string(outer.Error) {
	case "", "null", "false", `""`, "{}":
		if outer.Object == "error" {
			return problem{outer.Message, outer.Type, bare(outer.Code)}, true
		}
		if len(outer.Detail) > 0 && string(outer.Detail) != "null" {
			return problem{Message: bare(outer.Detail)}, true
		}
		return problem{}, false
	}
	var inner struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Code    json.RawMessage `json:"code"`
	}
	if json.Unmarshal(outer.Error, &inner) == nil {
		return problem{inner.Message, inner.Type, bare(inner.Code)}, true
	}
	return problem{Message: bare(outer.Error)}, true
}

// bare is a JSON value as text: a string without its quotes, else as it stands.
func bare(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if string(raw) == "null" {
		return ""
	}
	return string(raw)
}

// context reports whether the request was over the model's window. There is no
// common code for it, so the servers' usual words count too.
func (p problem) context() bool {
	if strings.Contains(p.Code+p.Type, "context_length") || strings.Contains(p.Type, "exceed_context") {
		return true
	}
	m := strings.ToLower(p.Message)
	for _, words := range []string{
		"maximum context length", "prompt is too long", "context window", "context length",
		"available context size", "input is too long", "too many input tokens", "maximum number of tokens", "input token count",
	} {
		if strings.Contains(m, words) {
			return true
		}
	}
	return false
}

func (p problem) quota() bool {
	return strings.Contains(p.Code+" "+p.Type, "insufficient_quota") || strings.Contains(p.Type, "billing")
}

// secrets are the texts that no error may repeat.
func secrets(o Options) []string {
	var all []string
	if o.APIKey != "" {
		all = append(all, o.APIKey)
	}
	for _, v := range o.Headers {
		if len(v) >= 8 {
			all = append(all, v)
			if _, token, ok := strings.Cut(v, " "); ok && len(token) >= 8 {
				all = append(all, token) // "Bearer TOKEN"
			}
		}
	}
	return all
}

func (c *Client) scrub(s string) string {
	for _, secret := range c.secrets {
		s = strings.ReplaceAll(s, secret, "[key]")
	}
	return s
}

// Clean makes a foreign text fit for an error: without the key, on one line,
// its control characters escaped, cut to 200 characters.
func (c *Client) Clean(s string) string {
	// The key goes first: a cut through its middle would leave a part of it.
	s = show.Line(strings.TrimSpace(strings.ToValidUTF8(c.scrub(s), "\ufffd")))
	if utf8.RuneCountInString(s) <= maxText {
		return s
	}
	r := []rune(s)
	return string(r[:maxText]) + "…"
}
