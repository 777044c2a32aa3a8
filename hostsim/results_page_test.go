package main

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"warmroute/hostsim/internal/advice"
	"warmroute/hostsim/internal/assign"
	"warmroute/hostsim/internal/compare"
	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/cost"
	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/input"
	"warmroute/hostsim/internal/league"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/study"
	"warmroute/hostsim/internal/verdict"
	"warmroute/testdata/golden"
)

//go:generate go test -run ^TestResultsPage$ -update

const resultsPage = "../docs/results.md"

// results are what each command writes beside the members that all have in common.
var results = []struct {
	schema string
	value  any
}{
	{"replay", struct {
		Runs    []*replay.Result `json:"runs"`
		Bounds  *verdict.Bounds  `json:"bounds"`
		Verdict string           `json:"verdict"`
		Input   input.Notes      `json:"input"`
	}{}},
	{"advise", struct {
		Advice *advice.Advice `json:"advice"`
		Input  input.Notes    `json:"input"`
	}{}},
	{"study policies", struct {
		Rows []study.PolicyRow `json:"rows"`
	}{}},
	{"study league", league.Results{}},
	{"study gateways", league.Results{}},
	{"study kubeai", struct {
		Rows []study.KubeAIRow `json:"rows"`
	}{}},
	{"study tradeoff", struct {
		Points []study.TradeoffPoint `json:"points"`
	}{}},
	{"study workload", struct {
		Points []study.WorkloadPoint `json:"points"`
	}{}},
	{"study experiment", struct {
		Points []study.ExperimentPoint `json:"points"`
	}{}},
	{"study staleness", struct {
		Points []study.StalePoint `json:"points"`
	}{}},
	{"compare", compare.Result{}},
	{"bench", benchResult{}},
	{"check", struct {
		Findings []finding.Finding `json:"findings"`
	}{}},
	{"cost", cost.Result{}},
	{"request", requestResult{}},
	{"assign", assign.Assigned{}},
	{"version", console.Versions{}},
}

// members lists what encoding/json makes of a type: a line for each number, text or flag.
func members(b *strings.Builder, path string, t reflect.Type, inside []reflect.Type) {
	for _, outer := range inside {
		if outer == t && t.Kind() == reflect.Struct {
			fmt.Fprintf(b, "    %s  as above\n", path)
			return
		}
	}
	inside = append(inside, t)
	marshaler := reflect.TypeFor[json.Marshaler]()
	switch kind := t.Kind(); {
	case kind == reflect.Pointer:
		members(b, path, t.Elem(), inside)
	case t.Implements(marshaler):
		fmt.Fprintf(b, "    %s  object\n", path)
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		fmt.Fprintf(b, "    %s  text\n", path)
	case t == reflect.TypeFor[json.Number]():
		fmt.Fprintf(b, "    %s  number\n", path)
	case kind == reflect.Struct:
		for f := range t.Fields() {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			embedded := f.Type
			if f.Anonymous && embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			switch {
			case name == "-" || !f.IsExported() && !f.Anonymous:
			case f.Anonymous && name == "" && embedded.Kind() == reflect.Struct:
				members(b, path, embedded, inside)
			default:
				if name == "" {
					name = f.Name
				}
				at := strings.TrimPrefix(path+"."+name, ".")
				if strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero") {
					at += "?"
				}
				members(b, at, f.Type, inside)
			}
		}
	case kind == reflect.Slice || kind == reflect.Array:
		members(b, path+"[]", t.Elem(), inside)
	case kind == reflect.Map:
		members(b, path+".*", t.Elem(), inside)
	case kind == reflect.Bool:
		fmt.Fprintf(b, "    %s  boolean\n", path)
	case kind == reflect.String:
		fmt.Fprintf(b, "    %s  text\n", path)
	case kind == reflect.Interface:
		fmt.Fprintf(b, "    %s  any\n", path)
	default:
		fmt.Fprintf(b, "    %s  number\n", path)
	}
}

// docs/results.md says what the commands write as JSON; it is made from the types that they write.
func TestResultsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Results as JSON

What ` + "`hostsim … --json FILE`" + ` writes; ` + "`-`" + ` is standard output, where nothing else then goes. This page is made from the program's types by
` + "`go generate ./hostsim`" + `. Names end in their unit; ratios and shares are 0 to 1; times without a unit in the name are in ms.

All results begin with what made them:

`)
	members(&b, "", reflect.TypeFor[console.Made](), nil)
	fmt.Fprintf(&b, `
`+"`schema`"+` is such as "warmroute replay %d". The number grows when a member changes its meaning or goes; members may come without that. `+"`partial`"+`
is there when the command was interrupted: what is whole was kept. A question mark means that the member may be absent, `+"`[]`"+` a list, `+"`.*`"+` a map.
`, console.SchemaVersion)
	for _, r := range results {
		fmt.Fprintf(&b, "\n## warmroute %s %d\n\n", r.schema, console.SchemaVersion)
		members(&b, "", reflect.TypeOf(r.value), nil)
		if r.schema == "check" {
			b.WriteString("\n`warmroute doctor` has the same.\n")
		}
	}
	golden.Compare(t, resultsPage, b.String())
}
