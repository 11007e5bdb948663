package edit

import (
	"slices"
	"strings"
)

// place is a match: the bytes body[start:end].
type place struct{ start, end int }

// maxMatches bounds how many overlapping places are counted: the search for
// them is quadratic in periodic texts.
const maxMatches = 1000

// find returns the places where old stands, byte for byte. Only where there is
// none are line ends bridged: LF in old then matches CRLF in body, and the
// reverse. For a single replacement overlapping places all count, up to
// maxMatches, since each is a possible meaning; for all of them each place
// begins where the one before has ended.
func find(body, old string, all bool) []place {
	if places := occurrences(body, old, all); len(places) > 0 {
		return places
	}
	if !strings.Contains(old, lf) || !strings.Contains(body, crlf) && !strings.Contains(old, crlf) {
		return nil
	}
	flat, offsets := flatten(body)
	places := occurrences(flat, strings.ReplaceAll(old, crlf, lf), all)
	for i, p := range places {
		places[i] = place{start: offsets.original(p.start), end: offsets.original(p.end)}
	}
	return places
}

func occurrences(body, old string, all bool) []place {
	step := 1
	if all {
		step = len(old)
	}
	var places []place
	for at := 0; all || len(places) < maxMatches; at += step {
		i := strings.Index(body[at:], old)
		if i < 0 {
			break
		}
		at += i
		places = append(places, place{start: at, end: at + len(old)})
	}
	return places
}

// dropped holds the positions, in the flattened text, of the line feeds that
// had a carriage return before them.
type dropped []int

// flatten writes every line end as LF.
func flatten(body string) (string, dropped) {
	var b strings.Builder
	var ends dropped
	for {
		line, rest, found := strings.Cut(body, crlf)
		b.WriteString(line)
		if !found {
			return b.String(), ends
		}
		ends = append(ends, b.Len())
		b.WriteString(lf)
		body = rest
	}
}

// original turns a position in the flattened text into one of the body. A
// position at a line feed is that of the carriage return before it.
func (d dropped) original(position int) int {
	before, _ := slices.BinarySearch(d, position)
	return position + before
}
