package trace

import (
	"fmt"
	"strings"
	"testing"
)

// The size of blocks is found where the first line alone is longer than what is looked at otherwise.
func TestMooncakeWithALongFirstLine(t *testing.T) {
	const tokens = 400_000
	ids := make([]string, tokens/16)
	for i := range ids {
		ids[i] = fmt.Sprint(i)
	}
	line := fmt.Sprintf(`{"timestamp":0,"input_length":%d,"output_length":9,"hash_ids":[%s]}`+"\n", tokens, strings.Join(ids, ","))
	got, err := Read(strings.NewReader(line+`{"timestamp":5,"input_length":40,"output_length":9,"hash_ids":[0,1,7000000]}`), "long.jsonl", Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.BlockSize != 16 || len(got.Requests) != 2 || got.Requests[0].InputTokens != tokens {
		t.Errorf("blocks of %d tokens, %d requests; want 16, 2", got.BlockSize, len(got.Requests))
	}
}
