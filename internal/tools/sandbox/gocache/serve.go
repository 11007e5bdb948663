package gocache

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
)

// childArg is the first argument by which the binary knows itself as the cache.
const childArg = "__go-cache"

// maxBody bounds one output: go sends no larger ones in practice, and the
// number comes from outside.
const maxBody = 4 << 30

// Program returns the value of GOCACHEPROG that starts exe as the cache over
// two folders, or the empty string where go could not split it.
func Program(exe, private, shared string) string {
	parts := []string{exe, childArg, private, shared}
	for i, p := range parts {
		switch {
		case p == "" || strings.ContainsAny(p, "\n\r"):
			return ""
		case !strings.ContainsAny(p, " \t'\""):
		case !strings.Contains(p, "'"):
			parts[i] = "'" + p + "'"
		case !strings.Contains(p, `"`):
			parts[i] = `"` + p + `"`
		default:
			return ""
		}
	}
	return strings.Join(parts, " ")
}

// Child serves the cache on standard input and output when the process was
// started for it, and reports whether it was.
func Child(args []string) bool {
	if len(args) != 4 || args[1] != childArg {
		return false
	}
	if err := Serve(args[2], args[3], os.Stdin, os.Stdout); err != nil {
		// go prints it and goes on without what is missing.
		_, _ = os.Stderr.WriteString("go build cache: " + err.Error() + "\n")
		os.Exit(1)
	}
	return true
}

// Serve answers requests until a close or the end of the input.
func Serve(private, shared string, in io.Reader, out io.Writer) error {
	s := &store{private: private, shared: shared}
	dec, enc := json.NewDecoder(in), json.NewEncoder(out)
	if err := enc.Encode(response{KnownCommands: []string{"get", "put", "close"}}); err != nil {
		return err
	}
	for {
		var req request
		if err := dec.Decode(&req); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		res, err := s.answer(req, dec)
		if err != nil {
			return err
		}
		if err := enc.Encode(res); err != nil {
			return err
		}
		if req.Command == "close" {
			return nil
		}
	}
}

// answer serves one request. Its error ends the conversation: the stream is
// out of step then.
func (s *store) answer(req request, dec *json.Decoder) (response, error) {
	res := response{ID: req.ID}
	switch req.Command {
	case "get":
		e, ok := s.get(req.ActionID)
		if !ok {
			res.Miss = true
			return res, nil
		}
		res.OutputID, res.Size, res.Time, res.DiskPath = e.output, e.size, &e.time, e.path
	case "put":
		var body []byte
		if req.BodySize < 0 || req.BodySize > maxBody {
			return res, errors.New("an output too large")
		}
		if req.BodySize > 0 {
			if err := dec.Decode(&body); err != nil {
				return res, err
			}
		}
		path, err := s.put(req.ActionID, req.OutputID, req.BodySize, bytes.NewReader(body))
		if err != nil {
			res.Err = err.Error()
			return res, nil
		}
		res.DiskPath = path
	case "close":
	default:
		res.Err = "unknown command " + req.Command
	}
	return res, nil
}
