package sse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func read(r io.Reader) ([]string, error) {
	reader := NewReader(r)
	var got []string
	for {
		ev, err := reader.Next()
		if err != nil {
			return got, err
		}
		got = append(got, ev.Name+"|"+string(ev.Data))
	}
}

func TestReader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"one", "data: a\n\n", []string{"|a"}},
		{"named", "event: ping\ndata: {}\n\n", []string{"ping|{}"}},
		{"CRLF", "event: e\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []string{"e|a", "|b"}},
		{"CR", "data: a\r\rdata: b\r\r", []string{"|a", "|b"}},
		{"mixed ends", "data: a\r\n\ndata: b\n\r\n", []string{"|a", "|b"}},
		{"no blank", "data:a\n\n", []string{"|a"}},
		{"two blanks: one is content", "data:  a\n\n", []string{"| a"}},
		{"several data lines", "data: a\ndata: b\n\n", []string{"|a\nb"}},
		{"comments", ": hi\n\n:\ndata: a\n: in between\n\n", []string{"|a"}},
		{"blank data is no event", "data:\n\ndata: \n\ndata\n\ndata: a\n\n", []string{"|a"}},
		{"a name without data is forgotten", "event: x\n\ndata: a\n\n", []string{"|a"}},
		{"other fields", "id: 7\nretry: 10\nfoo\ndata: a\n\n", []string{"|a"}},
		{"byte-order mark", "\ufeffdata: a\n\n", []string{"|a"}},
		{"cut before the empty line", "data: a\n\ndata: b\n", []string{"|a", "|b"}},
		{"cut before the line's end", "data: a\n\ndata: b", []string{"|a", "|b"}},
		{"colons in the data", "data: a:b: c\n\n", []string{"|a:b: c"}},
		{"nothing", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, r := range []io.Reader{strings.NewReader(tt.in), iotest.OneByteReader(strings.NewReader(tt.in))} {
				got, err := read(r)
				if !errors.Is(err, io.EOF) {
					t.Errorf("error %v, want the end", err)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestReaderReturnsTheConnectionsError(t *testing.T) {
	t.Parallel()
	broken := errors.New("reset")
	got, err := read(io.MultiReader(strings.NewReader("data: a\n\ndata: half"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if diff := cmp.Diff([]string{"|a"}, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// endless is a reader that says the same for ever.
type endless struct{ text []byte }

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.text)
	}
	return n, nil
}

func TestReaderIsBounded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a line without an end":   "x",
		"an event without an end": "data: " + strings.Repeat("x", 4000) + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := NewReader(endless{[]byte(text)})
			if _, err := r.Next(); !errors.Is(err, ErrTooLong) {
				t.Errorf("error %v, want %v", err, ErrTooLong)
			}
			if n := cap(r.line) + cap(r.data); n > 5*MaxEvent {
				t.Errorf("it kept %d bytes", n)
			}
		})
	}
	t.Run("a large line within the limit", func(t *testing.T) {
		t.Parallel()
		big := strings.Repeat("x", 3<<20)
		got, err := read(strings.NewReader("data: " + big + "\n\n"))
		if !errors.Is(err, io.EOF) || len(got) != 1 || len(got[0]) != len(big)+1 {
			t.Errorf("%d events, error %v", len(got), err)
		}
	})
	t.Run("comments without an end", func(t *testing.T) {
		t.Parallel()
		r := NewReader(endless{[]byte(": keep-alive\n\n")})
		r.total = MaxStream - 1000 // the rest of a long stream
		if _, err := r.Next(); !errors.Is(err, ErrTooLong) {
			t.Errorf("error %v, want %v", err, ErrTooLong)
		}
	})
}

func FuzzReader(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "event: e\r\ndata: a\r\n\r\n", ":\n\ndata\n\n", "\ufeffdata: a\ndata:b\n\r", "data: \x00\xff\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, err := read(bytes.NewReader(in))
		if !errors.Is(err, io.EOF) {
			t.Fatalf("error %v", err)
		}
		pieces, err := read(iotest.OneByteReader(bytes.NewReader(in)))
		if !errors.Is(err, io.EOF) || fmt.Sprint(whole) != fmt.Sprint(pieces) {
			t.Fatalf("whole %q, byte by byte %q, %v", whole, pieces, err)
		}
		for _, ev := range whole {
			_, data, _ := strings.Cut(ev, "|")
			if data == "" && !strings.Contains(ev, "||") {
				t.Fatalf("an event without data: %q", ev)
			}
		}
	})
}
