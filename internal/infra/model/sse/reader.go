package sse

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// MaxEvent bounds the data of one event, in bytes.
	MaxEvent = 8 << 20
	// MaxStream bounds a whole stream, in bytes: wire overhead is some hundred
	// bytes for each token, so this is room for several hundred thousand.
	MaxStream = 256 << 20
)

// ErrTooLong is returned when an event or a stream is over its limit.
var ErrTooLong = errors.New("stream over its limit")

// Event is one event that had data.
type Event struct {
	Name string // of the "event:" line; empty where there is none
	Data []byte // valid until the next call of Next
}

// Reader reads events one by one. It is for one goroutine.
type Reader struct {
	r     *bufio.Reader
	total int64
	begun bool
	skip  bool // the last line ended with CR: a LF belongs to it
	data  []byte
	line  []byte
}

// NewReader reads from r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, 64<<10)}
}

// Next returns the next event with data. At the end it returns io.EOF; an event
// that the end cut before its empty line is returned first. Other errors are
// the reader's own or wrap [ErrTooLong].
func (r *Reader) Next() (Event, error) {
	var name string
	r.data = r.data[:0]
	has := false
	for {
		line, err := r.readLine()
		if err != nil && (len(line) == 0 || !errors.Is(err, io.EOF)) {
			if has && len(r.data) > 0 && errors.Is(err, io.EOF) {
				return Event{Name: name, Data: r.data}, nil
			}
			return Event{}, err
		}
		if len(line) == 0 {
			if has && len(r.data) > 0 {
				return Event{Name: name, Data: r.data}, nil
			}
			name, has = "", false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			name = string(value)
		case "data":
			if has {
				r.data = append(r.data, '\n')
			}
			r.data = append(r.data, value...)
			has = true
			if len(r.data) > MaxEvent {
				return Event{}, fmt.Errorf("%w: an event is over %d bytes", ErrTooLong, MaxEvent)
			}
		}
	}
}

// readLine returns a line without its end. At the end of the input the last
// line comes with io.EOF.
func (r *Reader) readLine() ([]byte, error) {
	r.line = r.line[:0]
	for {
		b, err := r.r.ReadByte()
		if err != nil {
			return r.trimBOM(), err
		}
		r.total++
		if r.total > MaxStream {
			return nil, fmt.Errorf("%w: it is over %d bytes", ErrTooLong, int64(MaxStream))
		}
		if r.skip {
			r.skip = false
			if b == '\n' {
				continue
			}
		}
		switch b {
		case '\n':
			return r.trimBOM(), nil
		case '\r':
			r.skip = true
			return r.trimBOM(), nil
		}
		r.line = append(r.line, b)
		if len(r.line) > MaxEvent+64 {
			return nil, fmt.Errorf("%w: a line is over %d bytes", ErrTooLong, MaxEvent)
		}
	}
}

// trimBOM takes the byte-order mark off the stream's first line.
func (r *Reader) trimBOM() []byte {
	line := r.line
	if !r.begun {
		r.begun = true
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	return line
}
