package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/writ-dev/writ"
	"github.com/writ-dev/writ/internal/infra/model/count"
	"github.com/writ-dev/writ/internal/infra/model/sse"
)

// maxBody bounds an answer that comes in one piece, in bytes.
const maxBody = sse.MaxEvent

// Client posts calls to one endpoint. It is safe for concurrent use.
type Client struct {
	opts     Options
	endpoint string
	host     string
	http     *http.Client
	secrets  []string
}

// NewClient validates the options and builds the client of one call, such as
// "/chat/completions". Errors are *writ.Error with code CONFIG that name the
// field.
func NewClient(opts Options, call string) (*Client, error) {
	base, err := opts.fill()
	if err != nil {
		return nil, err
	}
	c := &Client{opts: opts, endpoint: endpoint(base, call), host: base.Hostname()}
	c.http = &http.Client{Transport: newTransport()}
	if opts.HTTPClient != nil {
		clone := *opts.HTTPClient
		c.http = &clone
	}
	c.http.CheckRedirect = sameHost
	c.secrets = secrets(opts)
	return c, nil
}

// newTransport is the default one without transparent compression, so that
// pieces arrive as they were sent and limits count real bytes.
func newTransport() http.RoundTripper {
	if base, ok := http.DefaultTransport.(*http.Transport); ok {
		t := base.Clone()
		t.DisableCompression = true
		return t
	}
	return &http.Transport{Proxy: http.ProxyFromEnvironment, DisableCompression: true, ForceAttemptHTTP2: true}
}

// sameHost lets a redirect pass only where it keeps scheme, host and method;
// any other answer is returned as it is and judged by its status.
func sameHost(req *http.Request, via []*http.Request) error {
	first := via[0]
	if len(via) > 3 || req.Method != first.Method || req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host {
		return http.ErrUseLastResponse
	}
	return nil
}

// Name is the provider's name.
func (c *Client) Name() string { return c.opts.Name }

// Host is the server's host name, without the port.
func (c *Client) Host() string { return c.host }

// APIKey is the key, for the header that the wire puts it in.
func (c *Client) APIKey() string { return c.opts.APIKey }

// Count is the token counter.
func (c *Client) Count() *count.Counter { return c.opts.Count }

// Stream is an answer whose status and content type are in order. Exactly one
// of Events and Whole is set.
type Stream struct {
	Events    *sse.Reader
	Whole     json.RawMessage // an answer in one piece
	RequestID string

	client *Client
	watch  *watch
	body   io.Closer
}

// Broken says what an error of Events means.
func (s *Stream) Broken(err error) *writ.ModelError { return s.client.broken(s.watch.ctx, err) }

// Close ends the call and its connection. A second call does nothing.
func (s *Stream) Close() {
	s.watch.stop(nil)
	if s.body != nil {
		_ = s.body.Close() // nothing is to be learned from a connection that is given up
	}
}

// Finishing shortens the patience for what may follow a finished answer.
func (s *Stream) Finishing(idle time.Duration) {
	s.watch.mu.Lock()
	defer s.watch.mu.Unlock()
	s.watch.idle = min(s.watch.idle, idle)
	s.watch.timer.Reset(s.watch.idle)
}

// Post sends one call and judges the head of the answer. The returned error is
// always a *writ.ModelError without Partial. header adds the wire's own.
func (c *Client) Post(ctx context.Context, req *writ.Request, body []byte, header http.Header) (*Stream, *writ.ModelError) {
	w := newWatch(ctx, c.opts.FirstByte, c.opts.Idle)
	s, merr := c.post(w, req, body, header)
	if merr != nil {
		w.stop(nil)
		return nil, merr
	}
	return s, nil
}

func (c *Client) post(w *watch, r *writ.Request, body []byte, header http.Header) (*Stream, *writ.ModelError) {
	req, err := http.NewRequestWithContext(w.ctx, http.MethodPost, c.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, &writ.ModelError{Kind: writ.ModelInvalid, Msg: "the request cannot be built"}
	}
	for name, value := range c.opts.Headers {
		req.Header.Set(name, value)
	}
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	req.Header.Set("X-Writ-Task", r.Task)
	req.Header.Set("X-Writ-Agent", r.Agent)

	resp, err := c.http.Do(req)
	if err != nil {
		return nil, c.broken(w.ctx, err)
	}
	w.alive()
	read := &watched{r: resp.Body, w: w}
	id := requestID(resp.Header)
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		defer resp.Body.Close()
		raw, _ := io.ReadAll(io.LimitReader(read, 64<<10)) // a body that breaks off still has its status
		return nil, c.refusal(resp, raw)
	}
	br := bufio.NewReaderSize(read, 64<<10)
	kind, merr := c.kindOf(w, resp, br)
	if merr != nil {
		_ = resp.Body.Close()
		return nil, merr
	}
	if kind == kindEvents {
		return &Stream{Events: sse.NewReader(br), RequestID: id, client: c, watch: w, body: resp.Body}, nil
	}
	defer resp.Body.Close()
	whole, merr := c.whole(w, br, resp.StatusCode)
	if merr != nil {
		return nil, merr
	}
	return &Stream{Whole: whole, RequestID: id, client: c, watch: w, body: resp.Body}, nil
}

func requestID(h http.Header) string {
	for _, name := range []string{"X-Request-Id", "Request-Id"} {
		if id := h.Get(name); id != "" && len(id) <= 200 {
			return id
		}
	}
	return ""
}

type bodyKind int

const (
	kindEvents bodyKind = iota
	kindJSON
)

// kindOf tells a stream from a whole answer. The content type decides where it
// says one of the two; elsewhere, and where it says JSON, the first bytes do,
// since servers mislabel streams.
func (c *Client) kindOf(w *watch, resp *http.Response, br *bufio.Reader) (bodyKind, *writ.ModelError) {
	declared := resp.Header.Get("Content-Type")
	media, _, err := mime.ParseMediaType(declared)
	if err != nil {
		media = strings.ToLower(strings.TrimSpace(declared))
	}
	if media == "text/event-stream" {
		return kindEvents, nil
	}
	if media != "text/html" && media != "application/xhtml+xml" {
		head, err := peekText(br)
		switch {
		case strings.HasPrefix(head, "data:"), strings.HasPrefix(head, "event:"), strings.HasPrefix(head, ":"):
			return kindEvents, nil
		case strings.HasPrefix(head, "{"):
			return kindJSON, nil
		case head == "" && err != nil && !errors.Is(err, io.EOF):
			return 0, c.broken(w.ctx, err)
		}
	}
	body, _ := io.ReadAll(io.LimitReader(br, 512)) // only to show it
	msg := fmt.Sprintf("the server answered %d with content type %q, which is not an API answer: check base_url and any sign-in page in between", resp.StatusCode, declared)
	if text := c.Clean(string(body)); text != "" {
		msg += ": " + text
	}
	return 0, &writ.ModelError{Kind: writ.ModelProtocol, Status: resp.StatusCode, Msg: c.scrub(msg)}
}

// peekText returns the first bytes without leading blanks and byte-order mark.
func peekText(br *bufio.Reader) (string, error) {
	for n := 1; ; n++ {
		head, err := br.Peek(n)
		text := strings.TrimLeft(strings.TrimPrefix(string(head), "\ufeff"), " \t\r\n")
		if len(text) >= len("event:") || strings.HasPrefix(text, "{") || strings.HasPrefix(text, ":") || err != nil || n >= 4096 {
			return text, err
		}
	}
}

// whole reads an answer that came in one piece and takes error objects out.
func (c *Client) whole(w *watch, r io.Reader, status int) (json.RawMessage, *writ.ModelError) {
	raw, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	switch {
	case err != nil:
		return nil, c.broken(w.ctx, err)
	case len(raw) > maxBody:
		return nil, &writ.ModelError{Kind: writ.ModelProtocol, Status: status, Msg: fmt.Sprintf("the answer is over %d bytes", maxBody)}
	case !json.Valid(raw):
		return nil, &writ.ModelError{Kind: writ.ModelProtocol, Status: status, Msg: "the answer is not valid JSON: " + c.Clean(string(raw))}
	}
	if merr := c.ErrorObject(raw, writ.ModelInvalid); merr != nil {
		merr.Status = status
		return nil, merr
	}
	return bytes.TrimSpace(raw), nil
}
