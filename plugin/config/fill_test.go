package config

import (
	"fmt"
	"strings"
	"testing"
)

// Every field is read from its own place and no other: each is given another value than its default, alone.
func TestEveryFieldIsFilled(t *testing.T) {
	root, err := readRoot()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	walk(root, "", func(path string, property *value, _ bool) {
		given := another(property)
		if given == "" {
			return // an object, or a list of objects: its members count
		}
		seen++
		document, want := given, "" // from the inside out
		steps := strings.Split(path, ".")
		for i := len(steps) - 1; i >= 0; i-- {
			name, inList := strings.CutSuffix(steps[i], "[]")
			if inList { // an endpoint needs its address
				if name == "pools" && !strings.Contains(document, "name") {
					document = strings.Replace(document, "{", `{"name": "a", `, 1)
				}
				if document = "[" + document + "]"; name == "endpoints" && !strings.Contains(document, "address") {
					document = strings.Replace(document, "{", `{"address": "10.0.0.1:80", `, 1)
				}
			}
			document = fmt.Sprintf("{%q: %s}", name, document)
			want = camel(steps[i]) + "." + want
		}
		if path == "scrape.path" || path == "scrape.models" { // it is none where nothing can be asked
			document = strings.Replace(document, "{", `{"discovery": {"cluster": "c"}, `, 1)
		}
		want = strings.ReplaceAll(strings.TrimSuffix(want, "."), "[]", "[0]")
		v, err := read([]byte(document))
		if err != nil {
			t.Fatalf("%s: %v", document, err)
		}
		f := faults{root: root}
		if f.validate(root, v, ""); len(f.list) > 0 && !strings.Contains(f.list[0].Error(), ".path: missing") {
			t.Fatalf("%s: %v", document, f.list)
		}
		got := differences(*fill(node{root, v, nil}))
		if !strings.Contains("\n"+got, "\n"+want+" = ") && !strings.Contains("\n"+got, "\n"+want+"[0] = ") {
			t.Errorf("%s changes %q, want %s", document, got, want)
		}
		for line := range strings.Lines(got) {
			if !strings.HasPrefix(line, want) && !derived(path, line) {
				t.Errorf("%s: it also changes %s", document, line)
			}
		}
	})
	if seen < 40 {
		t.Errorf("%d fields were tried", seen)
	}
}

// derived says whether a line may change with a field that is not its own.
func derived(path, line string) bool {
	switch {
	case strings.HasPrefix(path, "pools"), strings.HasPrefix(path, "endpoints"), strings.HasPrefix(path, "paths"):
		return strings.HasPrefix(line, camel(path[:strings.Index(path, "[]")]))
	case path == "steer.target":
		return strings.HasPrefix(line, "Steer.Header") || strings.HasPrefix(line, "Scrape.Path")
	case path == "discovery.cluster", path == "steer.cluster", path == "scrape.cluster", path == "scrape.path", path == "scrape.models":
		return strings.HasPrefix(line, "Scrape.") || strings.HasPrefix(line, "Discovery.Cluster")
	}
	return false
}

// camel turns the schema's spelling into a Go name.
func camel(name string) (all string) {
	for part := range strings.SplitSeq(name, "_") {
		all += strings.ToUpper(part[:1]) + part[1:]
	}
	return all
}

// another is a value that a property may have and has not by default, as JSON; "" for an object or a list of them.
func another(p *value) string {
	usual := p.get("default")
	if names := p.get("enum").list(); len(names) > 0 {
		for _, name := range names {
			if name.string() != usual.string() {
				return fmt.Sprintf("%q", name.string())
			}
		}
	}
	switch p.get("type").string() {
	case "integer", "number":
		if least := p.get("minimum").text; least != usual.text {
			return least
		}
		return p.get("maximum").text
	case "array":
		if p.get("items").get("type").string() == "string" {
			if p.get("items").get("format").string() == "ip-port" {
				return `["10.0.0.7:70", "10.0.0.8:80"]`
			}
			return `["x-one", "x-two"]`
		}
		return ""
	case "object":
		return ""
	case "boolean":
		return "true"
	case "string":
		if p.get("format") == nil && len(p.get("enum").list()) == 0 {
			return `"x-five"`
		}
	}
	return map[string]string{
		"ip-port": `"10.0.0.9:90"`, "time-span": `"150ms"`, "path-pattern": `"/one"`, "request-path": `"/two"`, "json-pointer": `"/three"`,
		"environment-variable": `"FOUR"`,
	}[p.get("format").string()] + map[bool]string{true: `"x-four"`}[strings.HasSuffix(p.get("format").string(), "name")]
}
