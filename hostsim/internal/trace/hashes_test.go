package trace

import (
	"path/filepath"
	"testing"
)

func TestHashesShareWhatTextsShare(t *testing.T) {
	for _, file := range []string{"mooncake.jsonl", "sessions.jsonl", "azure.csv"} {
		tr := mustOpen(t, filepath.Join(own, file), Options{})
		m := &Maker{Model: `a "model"`}
		for _, size := range []int{16, 64} {
			texts := make([]string, len(tr.Requests))
			hashes := make([][]uint64, len(tr.Requests))
			for i := range tr.Requests {
				body, _ := m.Append(nil, tr, &tr.Requests[i])
				texts[i] = prompt(t, body)
				var err error
				if hashes[i], err = AppendHashes(nil, tr, &tr.Requests[i], 3, size); err != nil {
					t.Fatal(err)
				}
				if got, want := len(hashes[i]), tr.Requests[i].InputTokens/size; got != want {
					t.Errorf("%s: request %d has %d blocks of %d, want %d", file, i, got, size, want)
				}
				for j := range i {
					want := min(commonBytes(texts[i], texts[j])/(size*BytesPerToken), len(hashes[i]), len(hashes[j]))
					got := 0
					for got < min(len(hashes[i]), len(hashes[j])) && hashes[i][got] == hashes[j][got] {
						got++
					}
					if got != want {
						t.Errorf("%s: requests %d and %d share %d blocks of %d, their texts %d", file, i, j, got, size, want)
					}
				}
			}
		}
		if _, err := AppendHashes(nil, tr, &tr.Requests[0], 3, 48); err == nil {
			t.Error("blocks of 48 tokens were taken")
		}
		a, _ := AppendHashes(nil, tr, &tr.Requests[0], 1, 16)
		b, _ := AppendHashes(nil, tr, &tr.Requests[0], 2, 16)
		if a[len(a)-1] == b[len(b)-1] {
			t.Error("the seed does not isolate")
		}
	}
}
