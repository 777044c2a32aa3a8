package cases

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/loads"
)

// A cut from the middle of a recording comes as fast as the case says, with its own times as with others.
func TestDrawnCutsComeFromTheirBeginning(t *testing.T) {
	folder := t.TempDir()
	var text bytes.Buffer
	zip := gzip.NewWriter(&text)
	for i := range 7851 {
		fmt.Fprintf(zip, `{"timestamp":%d,"input_length":1000,"output_length":100,"hash_ids":[%d,%d]}`+"\n", i*1000, i%7, i+10)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, loads.ConversationFile), text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	cuts := 0
	for _, c := range Drawn(120, 1) {
		if !strings.Contains(c.What, "mooncake_conversation") {
			continue
		}
		cuts++
		var spans [2]float64
		for i := range spans {
			o, err := c.Options(folder, uint64(i+1))
			if err != nil {
				t.Fatal(err)
			}
			spans[i] = float64(o.Trace.Requests[len(o.Trace.Requests)-1].At - o.Trace.Requests[0].At)
		}
		if ratio := spans[0] / spans[1]; ratio < 0.9 || ratio > 1.1 {
			t.Errorf("%s, %s: the requests of seed 1 come within %.2f times the time of seed 2's", c.ID, c.What, ratio)
		}
	}
	if cuts < 5 {
		t.Errorf("%d cuts", cuts)
	}
}
