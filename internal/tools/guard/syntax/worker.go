package syntax

import (
	"bytes"
	"io"
	"os"
	"runtime/debug"

	"github.com/writ-dev/writ"
)

// workerArg is what tells a process that it is a worker.
const workerArg = "__syntax-worker"

// The bounds that a worker puts on itself, where the system can.
const (
	maxWorkerStack = 64 << 20 // a Go stack may grow to 1 GB by default
	maxWorkerData  = 1 << 30
	maxWorkerCPU   = 600 // seconds in its whole life
)

// Worker turns a process that was started as a worker into one: it then
// returns true when its input ends, and the caller returns at once. For any
// other process it returns false and does nothing. It must come first in main.
func Worker(args []string) bool {
	if len(args) < 2 || args[1] != workerArg {
		return false
	}
	debug.SetMaxStack(maxWorkerStack)
	limitWorker()
	serve(os.Stdin, os.Stdout, os.Exit)
	return true
}

// serve answers requests in their order until the input ends. Reading goes on
// while a parser works, so that the end of the input, which is the end of the
// parent, ends a parser that hangs too.
func serve(in io.Reader, out io.Writer, exit func(int)) {
	requests := make(chan []byte)
	go func() {
		for {
			payload, err := readFrame(in, maxRequest)
			if err != nil {
				exit(0)
				close(requests)
				return
			}
			requests <- payload
		}
	}()
	for payload := range requests {
		name, content, _ := bytes.Cut(payload, []byte("\n"))
		answer, err := encodeReply(parse(string(name), content))
		if err == nil {
			err = writeFrame(out, answer)
		}
		if err != nil {
			exit(1)
			return
		}
	}
}

// maxRequest is the most that a worker reads of one request.
const maxRequest = 1 << 28

// parse runs the parser of a file's kind in this process. A panic of a parser
// is no verdict on the file.
func parse(name string, content []byte) (v writ.Syntax) {
	defer func() {
		if p := recover(); p != nil {
			v = unknown("the checker failed on this file: %v", p)
		}
	}()
	switch Kind(name) {
	case kindGo:
		return checkGo(name, content)
	case kindJSON:
		return checkJSON(content, false)
	case kindJSONC:
		return checkJSON(content, true)
	case kindJavaScript, kindTypeScript:
		return checkScript(name, content)
	case kindYAML:
		return checkYAML(content)
	case kindTOML:
		return checkTOML(content)
	}
	return unknown("no checker for this kind of file")
}
