package syntax

import (
	"bytes"
	"os"
	"testing"
	"time"
)

// The ways in which a test's own worker misbehaves, chosen by its second
// argument.
const (
	badWorker = "__bad-worker"
	badHang   = "hang"  // reads and never answers
	badDie    = "die"   // reads and ends
	badWild   = "wild"  // answers with no JSON
	badOnce   = "once"  // answers once and ends
	badFlood  = "flood" // announces a huge answer
)

func TestMain(m *testing.M) {
	if Worker(os.Args) {
		return
	}
	if len(os.Args) > 2 && os.Args[1] == badWorker {
		misbehave(os.Args[2])
		return
	}
	os.Exit(m.Run())
}

func misbehave(how string) {
	for served := 0; ; served++ {
		if _, err := readFrame(os.Stdin, maxRequest); err != nil {
			return
		}
		switch {
		case how == badHang:
			time.Sleep(time.Hour)
		case how == badDie, how == badOnce && served > 0:
			return
		case how == badWild:
			_ = writeFrame(os.Stdout, []byte("hello"))
		case how == badFlood:
			_, _ = os.Stdout.Write(bytes.Repeat([]byte{0xff}, 4096))
		default:
			_ = writeFrame(os.Stdout, []byte(`{"verdict":"valid","checker":"bad worker"}`))
		}
	}
}
