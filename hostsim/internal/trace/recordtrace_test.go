package trace

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
)

// recordedLog is a log of one record for each, a second apart.
func recordedLog(requests ...string) string {
	var log strings.Builder
	for i, r := range requests {
		fmt.Fprintf(&log, "wr1;t=%d;%s\n", 1000*i, r)
	}
	return log.String()
}

// hashed is the field b for blocks of 4,096 bytes with these hashes.
func hashed(hashes ...byte) string {
	var raw []byte
	for _, h := range hashes {
		raw = append(binary.AppendUvarint(raw, 4096), h, 2, 3, 4, 5, 6)
	}
	return "b=" + base64.RawURLEncoding.EncodeToString(raw)
}

// What follows the last whole block of a prompt repeats in the next turn, which carries it and the answer. Tokens have four bytes
// here, blocks of the trace 16 tokens.
func TestRecordedTails(t *testing.T) {
	for name, c := range map[string]struct {
		log  string
		want []int // tokens at the beginning of each request that one before it has
	}{
		"a conversation": {recordedLog( // 4096 + 3200 bytes; an answer of 100 tokens; the third has another block
			"s=a;n=7296;o=100;"+hashed(1), "s=a;n=7776;o=100;"+hashed(1), "s=a;n=8384;o=100;"+hashed(1, 2),
		), []int{0, 1824, 1936}},
		"by way of another session": {recordedLog( // which has that block from the first
			"s=a;n=7296;o=100;"+hashed(1), "s=a;n=8384;o=100;"+hashed(1, 2), "s=b;n=8384;o=100;"+hashed(1, 2),
		), []int{0, 1824, 2048}},
		"two conversations of one session": {recordedLog(
			"s=a;n=7296;o=100;"+hashed(1), "s=a;n=7296;o=100;"+hashed(2), "s=a;n=7776;o=100;"+hashed(1), "s=a;n=7776;o=100;"+hashed(2),
		), []int{0, 0, 1824, 1824}},
		"questions that follow the same text": {recordedLog( // their lengths say that they do not carry the answer
			"s=a;n=4200;o=100;"+hashed(1), "s=a;n=4230;o=100;"+hashed(1), "s=a;n=4190;o=100;"+hashed(1),
		), []int{0, 1024, 1024}},
		"no session": {recordedLog(
			"n=7296;o=100;"+hashed(1), "n=7776;o=100;"+hashed(1),
		), []int{0, 1024}},
		"the same again, found": {recordedLog( // p makes a token 4 bytes
			"s=a;n=7296;p=1824;c=0;o=100;"+hashed(1), "s=a;n=7296;p=1824;c=1808;o=100;"+hashed(1), "s=a;n=7296;p=1824;c=0;o=100;"+hashed(1),
		), []int{0, 1808, 1024}},
		"a short prompt": {recordedLog("s=a;n=200;o=100;b=", "s=a;n=700;o=100;b="), []int{0, 0}},
	} {
		tr, err := Read(strings.NewReader(c.log), "a.log", Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		check(t, tr)
		seen := map[uint32]bool{}
		for i, r := range tr.Requests {
			found, leading := 0, true
			for _, id := range r.Blocks.Append(nil) {
				if leading = leading && seen[id]; leading {
					found += tr.BlockSize
				}
				seen[id] = true
			}
			if found != c.want[i] {
				t.Errorf("%s: request %d: %d tokens repeat, want %d: %v", name, i, found, c.want[i], r.Blocks)
			}
		}
	}
}

// What the replicas counted is kept, where they did.
func TestRecordedCounts(t *testing.T) {
	tr, err := Read(strings.NewReader(recordedLog("n=7296;p=1824;c=600;o=1;"+hashed(1), "n=7296;o=1;"+hashed(1), "n=400;p=100;c=200;b=", "n=400;c=0;b=")), "a.log", Options{})
	if err != nil || tr.Counted != 1924 || tr.Cached != 700 {
		t.Errorf("%+v, %v; want 700 of 1924", tr, err)
	}
}

// Envoy's access log service has what the module left as bytes, in base64.
func TestRecordedInBase64(t *testing.T) {
	var log strings.Builder
	for i := range 3 {
		text := fmt.Sprintf("wr1;t=%d;s=a;n=8192;p=2048;c=0;o=10;%s", 1000*i, hashed(1, 2))
		fmt.Fprintf(&log, `{"filter_state_objects":{"wasm.warmroute_record":{"@type":"type.googleapis.com/google.protobuf.BytesValue","value":%q}}}`+"\n", base64.StdEncoding.EncodeToString([]byte(text)))
	}
	got, err := Read(strings.NewReader(log.String()), "a.log", Options{})
	if err != nil || len(got.Requests) != 3 || got.Requests[2].InputTokens != 2048 {
		t.Fatalf("%v, %+v", err, got)
	}
	if !HasRecord([]byte(log.String())) || HasRecord([]byte(`{"a":"d3Ix"}`)) {
		t.Error("records are not told from other texts")
	}
}
