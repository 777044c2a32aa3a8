package config

import (
	"strings"
	"testing"

	"warmroute/testdata/golden"
)

// readmeHead stands before the table of all fields: what to set for what most need.
const readmeHead = `# Configuration

For whoever writes the plugin's configuration: all of its fields. It is one JSON object. Few configurations need more than the first two rows:

| to | set |
|---|---|
| say which replicas there are | ~endpoints~, or ~discovery.cluster~: the hosts of an Envoy cluster |
| read their load | ~scrape.cluster~; with ~discovery.cluster~ it is that one by default |
| steer by a property (a stock WasmPlugin), by a cluster for each replica, or by a hash alone | ~steer~ |
| serve several Services or models behind one gateway | ~pools~ ([page](../../docs/pools.md)) |
| run several gateways | ~peers~ ([page](../../docs/gateways.md)) |
| keep tenants apart | ~tenant_header~ |
| show decisions to clients | ~response_header~ |
| try another policy on live traffic | ~experiment~, ~shadow~, ~policy_header~ ([page](../../docs/policies.md#a-live-experiment-or-a-canary)) |
| read bodies at other paths, or of other shapes | ~paths~ |

~hostsim check FILE~ says what is wrong. With a member ~$schema~ that names [schema.json](schema.json), editors complete and check.

## All fields

This table is made from schema.json by ~go generate ./plugin/config~. ~[]~ stands for each item of a list.

| field | type | default | allowed | meaning |
|---|---|---|---|---|
`

// README.md is the table of the schema; go generate rewrites it.
func TestReadme(t *testing.T) {
	var b strings.Builder
	b.WriteString(strings.ReplaceAll(readmeHead, "~", "`"))
	walk(readSchema(t), "", func(path string, p *value, required bool) {
		fallback := "required"
		if d := p.get("default"); d != nil {
			fallback = "`" + source(d) + "`"
		}
		row := []string{"`" + strings.ReplaceAll(path, `"`, "") + "`", p.get("type").string(), fallback, limits(p), p.get("description").string()}
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "|", `\|`)
		}
		b.WriteString("| " + strings.Join(row, " | ") + " |\n")
	})
	golden.Compare(t, "README.md", b.String())
}

// limits tells in words what a schema allows.
func limits(p *value) string {
	var all []string
	if names := p.get("enum").list(); len(names) > 0 {
		all = append(all, list(names))
	}
	if least, most := p.get("minimum"), p.get("maximum"); least != nil {
		all = append(all, least.text+" to "+most.text)
	}
	if least, most := p.get("x-minimum"), p.get("x-maximum"); least != nil {
		all = append(all, least.text+" to "+most.text)
	}
	if step := p.get("multipleOf"); step != nil {
		all = append(all, "a multiple of "+step.text)
	}
	if most := p.get("maxItems"); most != nil {
		least := p.get("minItems")
		if least == nil {
			least = &value{text: "0"}
		}
		all = append(all, least.text+" to "+most.text+" items")
	}
	if format := p.get("format").string(); format != "" && p.get("x-minimum") == nil {
		all = append(all, strings.ReplaceAll(format, "-", " "))
	}
	if most := p.get("maxLength"); most != nil {
		all = append(all, "up to "+most.text+" characters")
	}
	return strings.Join(all, "; ")
}

// source writes a default as JSON; defaults are scalars, {} or lists of strings.
func source(v *value) string {
	switch v.kind {
	case isObject:
		return "{}"
	case isArray:
		var items []string
		for _, item := range v.items {
			items = append(items, source(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return show(v)
}
