package trace

import (
	"strings"
	"testing"
)

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
