package prompt

import (
	"bytes"
	"fmt"
	"testing"

	"warmroute/plugin/prefix"
	"warmroute/testdata/golden"
)

// TestGolden pins the canonical bytes: a change of them makes every index and every ring position of a running fleet
// stale, so it must be meant. Write the file anew with: go test ./plugin/prompt -run Golden -update
func TestGolden(t *testing.T) {
	var b bytes.Buffer
	s := NewScanner(Options{BlockBytes: 64})
	for _, r := range loadRequests(t) {
		p, status := scan(t, s, r.format, r.pointer, r.body)
		fmt.Fprintf(&b, "%s\n", r.name)
		if status == Broken {
			fmt.Fprintf(&b, "\tbroken %s\n", s.Why())
			continue
		}
		seed := prefix.Seed(p.Model, p.Adapter, p.Salt, nil)
		fmt.Fprintf(&b, "\tmodel %q adapter %q salt %q seed %016x\n", p.Model, p.Adapter, p.Salt, seed)
		fmt.Fprintf(&b, "\tsession %s %q stream %v usage %v tokens %v\n", p.SessionFrom, clip(p.Session), p.Stream, p.IncludeUsage, p.Tokens)
		var chain prefix.Chain
		p.Chain(&chain, seed)
		fmt.Fprintf(&b, "\ttext %d system %d blocks %d covering %d last %016x\n", p.Size(), p.SystemLen, chain.Len(), chain.Covered(chain.Len()), append([]uint64{0}, chain.Hash...)[chain.Len()])
		fmt.Fprintf(&b, "\t%q\n", clip(p.Text))
	}
	golden.Compare(t, requests+"/golden.txt", b.String())
}

// clip is the first bytes, with each medium once.
func clip(b []byte) []byte {
	var short []byte
	for i := 0; i < len(b) && len(short) < 400; {
		if next := i + mediumFrame; b[i] == frameMedium && i >= mediumFrame && next <= len(b) && bytes.Equal(b[i:next], b[i-mediumFrame:i]) {
			i = next
			continue
		}
		short = append(short, b[i])
		i++
	}
	return short
}
