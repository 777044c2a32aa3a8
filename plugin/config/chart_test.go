package config

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"warmroute/testdata/golden"
)

const chartSchema = "../../istio/chart/values.schema.json"

// The Helm chart's `config` is our configuration: its schema has ours as a definition, on one line.
func TestChartSchema(t *testing.T) {
	have, err := os.ReadFile(chartSchema)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := os.ReadFile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(ours)) {
		if !strings.HasPrefix(line, `  "$schema": "`) && !strings.HasPrefix(line, `  "$id": `) {
			lines = append(lines, line)
		}
	}
	var definition bytes.Buffer
	if err := json.Compact(&definition, []byte(strings.ReplaceAll(strings.Join(lines, ""), `"#/properties/`, `"#/definitions/config/properties/`))); err != nil {
		t.Fatal(err)
	}
	want := string(have[:bytes.LastIndex(have, []byte(`    "config": `))]) + `    "config": ` + definition.String() + "\n  }\n}\n"
	golden.Compare(t, chartSchema, want)
}
