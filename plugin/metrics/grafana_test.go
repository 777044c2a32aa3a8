package metrics

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"warmroute/plugin/decision"
	"warmroute/plugin/why"
	"warmroute/testdata/golden"
)

const (
	dashboardFile = "../../examples/grafana/dashboard.json"
	alertsFile    = "../../examples/grafana/alerts.yaml"
)

// query is an expression of PromQL, and what is made of its result.
type query struct{ where, expr, text string }

// dashboardQueries are those of all panels.
func dashboardQueries(t *testing.T) (all []query) {
	t.Helper()
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title, UID string
		Panels     []struct {
			ID      int
			Title   string
			Type    string
			GridPos struct{ H, W, X, Y int }
			Targets []struct{ RefID, Expr, LegendFormat string }
		}
		Templating struct {
			List []struct {
				Name  string
				Type  string
				Query any
			}
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	if board.Title == "" || board.UID == "" || len(board.Panels) < 15 {
		t.Fatalf("%s: title %q, uid %q, %d panels", dashboardFile, board.Title, board.UID, len(board.Panels))
	}
	ids := map[int]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] || p.Title == "" || p.GridPos.X+p.GridPos.W > 24 || p.GridPos.W == 0 {
			t.Errorf("panel %d %q: its number, title or place is bad", p.ID, p.Title)
		}
		ids[p.ID] = true
		if p.Type != "row" && len(p.Targets) == 0 {
			t.Errorf("panel %q asks for nothing", p.Title)
		}
		for _, target := range p.Targets {
			all = append(all, query{"panel " + p.Title, target.Expr, target.LegendFormat})
		}
	}
	for _, v := range board.Templating.List {
		if q, ok := v.Query.(map[string]any); ok {
			all = append(all, query{"variable " + v.Name, q["query"].(string), ""})
		}
	}
	return all
}

// alertQueries are those of all rules, with their labels and annotations.
func alertQueries(t *testing.T) (all []query) {
	t.Helper()
	text, err := os.ReadFile(alertsFile)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			if rule.Alert == "" || rule.For == "" || rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" {
				t.Errorf("%q lacks a name, a time, a severity or a summary", rule.Alert)
			}
			all = append(all, query{rule.Alert, rule.Expr, rule.Annotations["summary"] + rule.Annotations["description"]})
		}
	}
	if len(all) < 10 {
		t.Fatalf("%d alerts", len(all))
	}
	return all
}

var (
	metricName = regexp.MustCompile(`\bwarmroute_[a-z_]+`)
	selector   = regexp.MustCompile(`(\w*)\{([^}]*)\}`)
	matcher    = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"`)
	grouping   = regexp.MustCompile(`\b(?:by|without|on|ignoring)\s*\(([^)]*)\)`)
	labelOf    = regexp.MustCompile(`label_values\(\w+,\s*(\w+)\)`)
	templated  = regexp.MustCompile(`\{\{\s*(?:with )?(?:\$labels\.)?([a-z]+)\s*\}\}`)
)

// definitionOf is the definition of a name in a query; nil where the module exports none.
func definitionOf(name string) *definition {
	for i := range definitions {
		d := &definitions[i]
		if d.kind == Histogram {
			if base, ok := strings.CutSuffix(name, "_bucket"); ok && base == d.name {
				return d
			}
			if name == d.name+"_sum" || name == d.name+"_count" {
				return d
			}
		} else if name == d.name {
			return d
		}
	}
	return nil
}

// faults says what in a query the module does not export.
func (q query) faults() (all []string) {
	labels := []string{"le", "instance"} // Prometheus gives each series the second
	for _, name := range metricName.FindAllString(q.expr, -1) {
		if d := definitionOf(name); d == nil {
			all = append(all, "no metric "+name)
		} else {
			labels = append(labels, strings.Fields(d.labels)...)
		}
	}
	wants := func(label, of string) {
		if !slices.Contains(labels, label) {
			all = append(all, "no label "+label+of)
		}
	}
	for _, s := range selector.FindAllStringSubmatch(q.expr, -1) {
		for _, m := range matcher.FindAllStringSubmatch(s[2], -1) {
			if d := definitionOf(s[1]); d != nil && !slices.Contains(strings.Fields(d.labels), m[1]) {
				all = append(all, s[1]+" has no label "+m[1])
			}
			all = append(all, valueFaults(m[1], m[2])...)
		}
	}
	for _, g := range grouping.FindAllStringSubmatch(q.expr, -1) {
		for label := range strings.FieldsFuncSeq(g[1], func(r rune) bool { return r == ',' || r == ' ' }) {
			wants(label, " to group by")
		}
	}
	for _, m := range labelOf.FindAllStringSubmatch(q.expr, -1) {
		wants(m[1], " for a variable")
	}
	for _, m := range templated.FindAllStringSubmatch(q.text, -1) {
		if m[1] != "end" {
			wants(m[1], " in a text")
		}
	}
	if !strings.Contains(q.expr, "warmroute_") {
		all = append(all, "it asks for none of our metrics")
	}
	return all
}

func codes(of []why.Code) (names []string) {
	for _, code := range of {
		names = append(names, string(code))
	}
	return names
}

// valueFaults says which of a matcher's values never occur.
func valueFaults(label, values string) (all []string) {
	known := map[string][]string{
		"outcome": append([]string{"agrees", "differs"}, Outcomes[:]...),
		"reason":  slices.Concat(codes(why.Passed), codes(why.ByLoad), decision.Reasons), // the second: with steer.target hash what has no key passes
	}[label]
	for value := range strings.SplitSeq(values, "|") {
		if known != nil && !slices.Contains(known, value) {
			all = append(all, "no "+label+" "+value)
		}
	}
	return all
}

// Every query of the dashboard and of the alert rules asks for metrics, labels and values that the module exports; and
// the dashboard shows every metric.
func TestGrafanaAsksForWhatThereIs(t *testing.T) {
	board := dashboardQueries(t)
	shown := map[string]bool{}
	for _, q := range board {
		for _, name := range metricName.FindAllString(q.expr, -1) {
			if d := definitionOf(name); d != nil {
				shown[d.name] = true
			}
		}
	}
	for _, d := range definitions {
		if shown[d.name] {
			continue
		}
		if golden.Updating() {
			addPanel(t, &d)
			continue
		}
		t.Errorf("the dashboard does not show %s: go generate ./plugin/metrics adds a panel, to be put where it belongs", d.name)
	}
	for _, q := range append(board, alertQueries(t)...) {
		for _, fault := range q.faults() {
			t.Errorf("%s: %s in %s", q.where, fault, q.expr)
		}
	}
}

// addPanel puts a panel of a metric below all others of the dashboard.
func addPanel(t *testing.T, d *definition) {
	text, err := os.ReadFile(dashboardFile)
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Panels []struct {
			ID      int
			GridPos struct{ H, Y int }
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	id, below := 0, 0
	for _, p := range board.Panels {
		id, below = max(id, p.ID+1), max(below, p.GridPos.Y+p.GridPos.H)
	}
	labels := strings.Fields(d.labels)
	by, chosen := strings.Join(labels, ", "), ""
	if slices.Contains(labels, "pool") {
		chosen = `{pool=~"$pool"}`
	}
	expr := map[Kind]string{
		Counter:   "sum by (" + by + ") (rate(" + d.name + chosen + "[$__rate_interval]))",
		Gauge:     "max by (" + by + ") (" + d.name + chosen + ")",
		Histogram: "histogram_quantile(0.95, sum by (" + strings.TrimSuffix("le, "+by, ", ") + ") (rate(" + d.name + "_bucket" + chosen + "[$__rate_interval])))",
	}[d.kind]
	legend := d.name
	if len(labels) > 0 {
		legend = "{{" + strings.Join(labels, "}} {{") + "}}"
	}
	source := map[string]any{"type": "prometheus", "uid": "${datasource}"}
	panel, err := json.MarshalIndent(map[string]any{
		"id": id, "type": "timeseries", "title": strings.TrimPrefix(d.name, "warmroute_"), "description": helpOf(d.name), "datasource": source,
		"gridPos": map[string]any{"h": 8, "w": 24, "x": 0, "y": below}, "fieldConfig": map[string]any{"defaults": map[string]any{"min": 0}, "overrides": []any{}},
		"targets": []any{map[string]any{"refId": "A", "datasource": source, "expr": expr, "legendFormat": legend}},
	}, "  ", " ")
	if err != nil {
		t.Fatal(err)
	}
	end := strings.LastIndex(string(text), "\n ]\n}")
	if end < 0 {
		t.Fatalf("%s does not end with its panels", dashboardFile)
	}
	made := string(text[:end]) + ",\n  " + string(panel) + string(text[end:])
	if err := os.WriteFile(dashboardFile, []byte(made), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The check finds what it is for.
func TestGrafanaFaults(t *testing.T) {
	for _, c := range []struct {
		q    query
		want string
	}{
		{query{"", `sum(rate(warmroute_request_total[5m]))`, ""}, "no metric warmroute_request_total"},
		{query{"", `sum(rate(warmroute_ttft_milliseconds[5m]))`, ""}, "no metric warmroute_ttft_milliseconds"},
		{query{"", `sum(warmroute_in_flight_bucket)`, ""}, "no metric warmroute_in_flight_bucket"},
		{query{"", `warmroute_in_flight{reason="home"}`, ""}, "warmroute_in_flight has no label reason"},
		{query{"", `sum by (policy) (warmroute_in_flight)`, ""}, "no label policy to group by"},
		{query{"", `warmroute_in_flight`, "{{reason}}"}, "no label reason in a text"},
		{query{"", `warmroute_in_flight`, "{{ with $labels.reason }}{{ . }}{{ end }}"}, "no label reason in a text"},
		{query{"", `warmroute_passed_total{reason="stuck"}`, ""}, "no reason stuck"},
		{query{"", `up`, ""}, "it asks for none of our metrics"},
		{query{"", `sum by (endpoint) (warmroute_in_flight{endpoint=~"a|b"})`, "{{ $labels.endpoint }}"}, ""},
	} {
		if got := strings.Join(c.q.faults(), "; "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.q.expr, got, c.want)
		}
	}
}
