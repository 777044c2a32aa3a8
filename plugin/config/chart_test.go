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

// The Helm chart's `config` is our configuration, and `pools[].config` one of its pools': its schema has both as definitions, each on a line.
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
	var all struct {
		Properties struct {
			Pools struct {
				Items struct{ Properties map[string]any }
			}
		}
	}
	if err := json.Unmarshal(ours, &all); err != nil {
		t.Fatal(err)
	}
	pool := map[string]any{}
	for name := range all.Properties.Pools.Items.Properties {
		pool[name] = map[string]string{"$ref": "#/definitions/config/properties/pools/items/properties/" + name}
	}
	ofPool, err := json.Marshal(map[string]any{"type": "object", "additionalProperties": false, "properties": pool})
	if err != nil || len(pool) == 0 {
		t.Fatalf("%d fields of a pool, %v", len(pool), err)
	}
	before, _, _ := bytes.Cut(have, []byte(`    "pool": `))
	want := string(before) + `    "pool": ` + string(ofPool) + ",\n" + `    "config": ` + definition.String() + "\n  }\n}\n"
	golden.Compare(t, chartSchema, want)
}
