package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func runAssign(t *testing.T, input string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(append([]string{"assign"}, args...), strings.NewReader(input), &out, &errs)
	return status, out.String(), errs.String()
}

func TestAssign(t *testing.T) {
	for _, c := range []struct{ name, replicas, capacity, input, want string }{
		{"nothing", "2", "2", `[]`, `{"assignments":[],"cache_hits":0,"hit_ratio":0.0000}`},
		{"least loaded, lowest index", "3", "2", `[{"prefix_hash":"a"},{"prefix_hash":"b"},{"prefix_hash":"c"},{"prefix_hash":"d"}]`,
			`{"assignments":[0,1,2,0],"cache_hits":0,"hit_ratio":0.0000}`},
		{"a hit goes to its holder, however loaded", "2", "2", `[{"prefix_hash":7},{"prefix_hash":7},{"prefix_hash":7}]`,
			`{"assignments":[0,0,0],"cache_hits":2,"hit_ratio":0.6667}`},
		{"the oldest gives way", "1", "2", `[{"prefix_hash":1},{"prefix_hash":2},{"prefix_hash":1},{"prefix_hash":3},{"prefix_hash":1},{"prefix_hash":2}]`,
			`{"assignments":[0,0,0,0,0,0],"cache_hits":2,"hit_ratio":0.3333}`},
		{"numbers by value, strings apart", "3", "9", `[{"prefix_hash":1},{"prefix_hash":1.0},{"prefix_hash":"1"},{"prefix_hash":10e-1}]`,
			`{"assignments":[0,0,1,0],"cache_hits":2,"hit_ratio":0.5000}`},
		{"large whole numbers", "2", "9", `[{"prefix_hash":18446744073709551615},{"prefix_hash":18446744073709551614}]`,
			`{"assignments":[0,1],"cache_hits":0,"hit_ratio":0.0000}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, out, errs := runAssign(t, c.input, "--replicas", c.replicas, "--capacity", c.capacity, "-")
			if status != 0 || out != c.want+"\n" {
				t.Errorf("status %d, %q\ngot  %swant %s", status, errs, out, c.want)
			}
			file := filepath.Join(t.TempDir(), "requests.json")
			if err := os.WriteFile(file, []byte(c.input), 0o644); err != nil {
				t.Fatal(err)
			}
			if _, same, _ := runAssign(t, "", "--replicas", c.replicas, "--capacity", c.capacity, file); same != out {
				t.Errorf("from a file: %s", same)
			}
		})
	}
}

func TestAssignErrors(t *testing.T) {
	for _, c := range []struct {
		input, want string
		args        []string
	}{
		{`[{"prefix_hash":1},{}]`, "standard input: [1].prefix_hash: missing", nil},
		{`[{"prefix_hash":null}]`, "standard input: [0].prefix_hash: a string or a number is needed, not null", nil},
		{`[{"prefix_hash":[1]}]`, "[0].prefix_hash: a string or a number is needed, not [1]", nil},
		{`[{"prefix_hash":1e999}]`, "[0].prefix_hash: 1e999 is out of range", nil},
		{`[{"prefix_hash":1}, 5]`, "standard input: [1]: an object is needed, not 5", nil},
		{`{"prefix_hash":1}`, "standard input: an array of requests is needed, not an object", nil},
		{`null`, "standard input: an array of requests is needed, not null", nil},
		{`[{"prefix_hash":1}`, "standard input:1: unexpected end of JSON input", nil},
		{`[]`, "--replicas 0 is not in the range 1 to 1024", []string{"--replicas", "0", "--capacity", "1", "-"}},
		{`[]`, "--replicas 1025 is not in the range 1 to 1024", []string{"--replicas", "1025", "--capacity", "1", "-"}},
		{`[]`, "--capacity 0 is below 1", []string{"--replicas", "1", "--capacity", "0", "-"}},
		{``, "nowhere.json: no such file", []string{"--replicas", "1", "--capacity", "1", "nowhere.json"}},
	} {
		args := c.args
		if args == nil {
			args = []string{"--replicas", "2", "--capacity", "2", "-"}
		}
		status, out, errs := runAssign(t, c.input, args...)
		if status != 1 || out != "" || !strings.Contains(errs, c.want) {
			t.Errorf("%s %v: status %d, %q, %q; want %q", c.input, args, status, out, errs, c.want)
		}
	}
}
