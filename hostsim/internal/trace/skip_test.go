package trace

import (
	"slices"
	"strings"
	"testing"
)

// What is left out first takes no time: a replay would wait for it, and count that to the time in which the rest was answered.
func TestSkipTakesNoTime(t *testing.T) {
	for name, text := range map[string]string{
		"openai": `{"t":3,"session":"a","body":{"prompt":"a"},"output_tokens":1}
{"t":1000,"session":"a","body":{"prompt":"b"},"output_tokens":1}
{"t":1004,"session":"a","think":2,"body":{"prompt":"c"},"output_tokens":1}`,
		"mooncake": `{"timestamp":3000,"input_length":3,"output_length":1,"hash_ids":[1]}
{"timestamp":1000000,"input_length":3,"output_length":1,"hash_ids":[2]}
{"timestamp":1004000,"input_length":3,"output_length":1,"hash_ids":[3]}`,
	} {
		for skip, want := range [][]int64{{3e9, 1000e9, 1004e9}, {0, 4e9}, {0}} {
			got, err := Read(strings.NewReader(text), name, Options{Skip: skip})
			if err != nil {
				t.Fatal(err)
			}
			var times []int64
			for _, r := range got.Requests {
				times = append(times, r.At)
			}
			if !slices.Equal(times, want) {
				t.Errorf("%s, %d left out: %v, want %v", name, skip, times, want)
			}
		}
	}
}

// What is to be left out first is left out in each format, also where a file is one list.
func TestSkipInAList(t *testing.T) {
	const list = `[{"input":"a","output_length":1},{"input":"b","output_length":2},
{"input":"c","output_length":3}]`
	got, err := Read(strings.NewReader(list), "list.json", Options{Skip: 1, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Requests) != 1 || got.Requests[0].OutputTokens != 2 || got.Requests[0].At != 0 || got.Requests[0].Session != 0 {
		t.Errorf("%+v; want the second alone", got.Requests)
	}
}
