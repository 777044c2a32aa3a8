package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warmroute/testdata/golden"
)

const data = "../../testdata/config"

// each runs a test for every document in a folder of testdata/config.
func each(t *testing.T, folder string, f func(t *testing.T, base string, document []byte)) {
	files, err := filepath.Glob(filepath.Join(data, folder, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in %s/%s: %v", data, folder, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			document, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f(t, strings.TrimSuffix(file, ".json"), document)
		})
	}
}

func TestValid(t *testing.T) {
	each(t, "valid", func(t *testing.T, base string, document []byte) {
		c, err := Parse(document)
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, base+".golden", differences(c))
	})
}

func TestInvalid(t *testing.T) {
	each(t, "invalid", func(t *testing.T, base string, document []byte) {
		c, err := Parse(document)
		if err == nil {
			t.Fatal("accepted")
		}
		if !reflect.ValueOf(c).IsZero() {
			t.Errorf("a refused document gives the configuration %+v", c)
		}
		golden.Compare(t, base+".err", err.Error()+"\n")
	})
}

// The sentences that users were promised.
func TestErrors(t *testing.T) {
	for _, c := range []struct{ document, want string }{
		{``, `endpoints: at least 1 item is needed, or discovery.cluster`},
		{" \n", `endpoints: at least 1 item is needed, or discovery.cluster`},
		{`{"endpoints": []}`, `endpoints: at least 1 item is needed, or discovery.cluster`},
		{`{"endpoints": ["10.0.0.1:80"], "policy": "hash"}`, `policy: "hash" is not one of ` + strings.Join(names(Policies), ", ") + `; did you mean prefix_hash?`},
		{`{"endpoints": ["10.0.0.1"]}`, `endpoints[0]: "10.0.0.1" is not ip:port (a port 1–65535 is missing)`},
		{`{"endpoints": ["10.0.0.1:80"], "prefix_hash": {"load_factor": 0.5}}`,
			`prefix_hash.load_factor: 0.5 is below the minimum 1 (allowed: 1 to 100)`},
		{`{"endpoints": ["10.0.0.1:80"], "cache_aware": {"load_margin": -1}}`,
			`cache_aware.load_margin: -1 is below the minimum 0 (allowed: 0 to 100000)`},
		{`{"endpoints": ["10.0.0.1:80"], "polcy": "random"}`, `polcy: no such field; did you mean policy?`},
		{`[]`, `line 1, column 1: an object is needed, not an array`},
		{"{\n  \"policy\" 1}", `line 2, column 12: ':' is needed here, not '1'`},
	} {
		_, err := Parse([]byte(c.document))
		if err == nil || err.Error() != c.want {
			t.Errorf("%s\n got %v\nwant %s", c.document, err, c.want)
		}
	}
}

// All faults of fields are found at once, and when there are none, all of several fields.
func TestFaults(t *testing.T) {
	many := `{"endpoints": ["10.0.0.1:80"` + strings.Repeat(`, "x"`, 80) + `]}`
	for document, want := range map[string][]string{
		`{"endpoints": ["10.0.0.1:80"]}`: nil,
		`{`:                              {"line 1, column 2"},
		`{"polcy": "random", "endpoints": ["10.0.0.1:80", "10.0.0.2", {"address": "10.0.0.3:80", "weight": 0}], "policy": "prefixhash", "index_bytes": -1, "scrape": {"intervall": "1s", "path": "x"}}`: {
			"polcy: no such field; did you mean policy?", "endpoints[1]: ", "endpoints[2].weight: 0 is below", "policy: \"prefixhash\"", "index_bytes: -1", "scrape.intervall: no such field; did you mean interval?", "scrape.path: ",
		},
		`{"ask_header": "x-ask", "index_bytes": 0, "peers": {"listener_port": 1}}`: {"endpoints: at least 1", "index_bytes: 0 is not allowed", "peers.listener_port: ", "ask_header: "},
		`{"endpoints": ["10.0.0.1:80"], "steer": {"cluster": "c"}, "pools": [{"name": "a"}, {"name": "a"}]}`: {
			"endpoints: refused beside pools", "steer.cluster: refused beside pools"},
		`{"pools": [{"name": "a", "match": {"cluster": "x*"}}, {"name": "a", "index_bytes": 5}]}`: {
			"pools[0].name: \"a\" must have a *", "pools[1].endpoints: ", "pools[1].index_bytes: 5", "pools[1].name: \"a\" is already pools[0]"},
		// Of several fields at once, where the others are valid whatever the faulty ones are to be.
		`{"policy": "prefixhash", "endpoints": ["10.0.0.1:80"], "ask_header": "x-ask", "peers": {"listener_port": 1}}`: {`policy: "prefixhash"`, "peers.listener_port: nothing is shared", "ask_header: "},
		`{"policy": "prefixhash", "steer": {"target": "hash"}}`:                                                        {`policy: "prefixhash"`},
		`{"polcy": "prefix_key", "steer": {"target": "hash"}}`:                                                         {"polcy: no such field"},
		`{"endpoints": ["10.0.0.1"], "discovery": {"cluster": "c"}, "shadow": 1}`:                                      {"endpoints[0]: ", "shadow: ", "endpoints: refused beside"},
		`{"endpoints": ["10.0.0.1"], "ask_secret_env": "A"}`:                                                           {"endpoints[0]: ", "ask_secret_env: "},
		`{"endpoints": "10.0.0.1", "index_bytes": 0}`:                                                                  {"endpoints: an array", "index_bytes: 0 is not"},
		`{"listener_port": 1, "endpoints": ["10.0.0.1:80"], "policy": "lru_match", "experiment": {"share": 0.5}}`:      {"listener_port: no such", "experiment.policy: lru_match"},
		`{"pools": [{"name": "a", "endpoints": ["10.0.0.1:80"]}, {"name": "a", "plicy": "random"}]}`:                   {"pools[1].plicy: ", "pools[1].endpoints: ", "pools[1].name: \"a\" is already"},
		many: append(slices.Repeat([]string{"endpoints["}, 50), "endpoints[51]: this and more is wrong"),
	} {
		got := Faults([]byte(document))
		if len(got) != len(want) {
			t.Errorf("%s: %d faults, want %d: %v", document, len(got), len(want), got)
			continue
		}
		for i, fault := range got {
			checkError(t, fault)
			if !strings.HasPrefix(fault.Error(), want[i]) {
				t.Errorf("%s: fault %d is %q, want %q", document, i, fault, want[i])
			}
		}
		if _, err := Parse([]byte(document)); len(want) > 0 && err.Error() != got[0].Error() || len(want) == 0 && err != nil {
			t.Errorf("%s: Parse says %v, Faults %v", document, err, got)
		}
	}
}

// A name that is wrong comes with the one that it may stand for, and without any that it does not.
func TestSuggestions(t *testing.T) {
	for document, want := range map[string]string{
		`{"polcy": 1}`:                          "; did you mean policy?",
		`{"Endpoints": 1}`:                      "; did you mean endpoints?",
		`{"index_size": 1}`:                     "; did you mean index_bytes?",
		`{"affinity": 1}`:                       "; did you mean cache_aware.affinity?",
		`{"vnodes": 1}`:                         "; did you mean ring.vnodes?",
		`{"candidates": 1}`:                     "; did you mean steer.candidates?",
		`{"listener_port": 1}`:                  "; did you mean peers.listener_port?",
		`{"replicas_of_us": 1}`:                 "no such field",
		`{"steer": {"record": true}}`:           "no such field here; it belongs to the top level",
		`{"policy": "cache-aware"}`:             "; did you mean cache_aware?",
		`{"policy": "RoundRobin"}`:              "; did you mean round_robin?",
		`{"policy": "shortest_queue"}`:          "; did you mean join_shortest_queue?",
		`{"policy": "expected"}`:                "; did you mean expected_ttft?",
		`{"policy": "fastest"}`:                 "expected_ttft",
		`{"steer": {"target": "endpoints"}}`:    "; did you mean endpoint?",
		`{"pools": [{"name": "a", "plicy":1}]}`: "; did you mean policy?",
	} {
		if got := Faults([]byte(document))[0].Error(); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s; want …%s", document, got, want)
		}
	}
}

func TestErrorsNameFieldOrPosition(t *testing.T) {
	each(t, "invalid", func(t *testing.T, _ string, document []byte) {
		_, err := Parse(document)
		checkError(t, err)
	})
}

// checkError wants an *Error with a message and a field or else a position.
func checkError(t *testing.T, err error) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("the error is a %T: %v", err, err)
	}
	if e.Msg == "" || (e.Field == "") != (e.Line > 0 && e.Column > 0) {
		t.Errorf("field %q, line %d, column %d, message %q", e.Field, e.Line, e.Column, e.Msg)
	}
	if strings.ContainsAny(e.Error(), "\r\n") {
		t.Errorf("the error takes more than one line: %q", e.Error())
	}
	if len(e.Error()) > 1000 {
		t.Errorf("the error has %d bytes", len(e.Error()))
	}
}

// defaults is what no document at all would be, were it not refused for want of endpoints.
func defaults() Config {
	root, _ := readRoot()
	return *fill(node{root, nil, nil})
}

// differences is what the configuration has and the defaults have not, a line for each field.
func differences(c Config) string {
	usual := map[string]bool{}
	for line := range strings.Lines(dump("", reflect.ValueOf(defaults()))) {
		usual[line] = true
	}
	var b strings.Builder
	for line := range strings.Lines(dump("", reflect.ValueOf(c))) {
		if !usual[line] {
			b.WriteString(line)
		}
	}
	return b.String()
}

// dump writes a value as one "Field = value" per line.
func dump(path string, v reflect.Value) string {
	var b strings.Builder
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if name == "Listener" { // no document has it
				continue
			}
			if v.Type().Field(i).Anonymous {
				name = path
			} else if path != "" {
				name = path + "." + name
			}
			b.WriteString(dump(name, v.Field(i)))
		}
	case reflect.Slice:
		if v.Len() == 0 {
			fmt.Fprintf(&b, "%s = none\n", path)
		}
		for i := range v.Len() {
			b.WriteString(dump(fmt.Sprintf("%s[%d]", path, i), v.Index(i)))
		}
	case reflect.String:
		fmt.Fprintf(&b, "%s = %q\n", path, v)
	default:
		fmt.Fprintf(&b, "%s = %v\n", path, v)
	}
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, folder := range []string{"valid", "invalid"} {
		files, err := filepath.Glob(filepath.Join(data, folder, "*.json"))
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s: %v", folder, err)
		}
		for _, file := range files {
			document, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(document)
		}
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		c, err := Parse(document)
		if err != nil {
			for _, fault := range Faults(document) {
				checkError(t, fault)
			}
			checkError(t, err)
			return
		}
		if c.Role == RoleGateway && len(c.Pools) == 0 && c.Steer.Target != TargetHash && (len(c.Endpoints) == 0) == (c.Discovery.Cluster == "") || c.Steer.Header == "" || c.DecideTimeout < 10e6 || c.Ring.Vnodes < 1 {
			t.Errorf("accepted, but %+v", c)
		}
	})
}
