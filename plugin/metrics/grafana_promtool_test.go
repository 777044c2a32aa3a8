//go:build promtool

package metrics

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestPromtool lets Prometheus' own tool, named in PROMTOOL, read the alert rules and all queries of the dashboard, and
// run the rules' tests. `./build.sh check` runs it.
func TestPromtool(t *testing.T) {
	var rules strings.Builder
	rules.WriteString("groups:\n- name: dashboard\n  rules:\n")
	for i, q := range dashboardQueries(t) {
		if strings.HasPrefix(q.expr, "label_values(") {
			continue // Grafana's, not Prometheus'
		}
		expr := strings.NewReplacer("$__rate_interval", "5m", "$__range", "1d", "$endpoint", ".*").Replace(q.expr)
		fmt.Fprintf(&rules, "  - record: query:%d\n    expr: %q\n", i, expr)
	}
	queries := filepath.Join(t.TempDir(), "queries.yaml")
	if err := os.WriteFile(queries, []byte(rules.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"check", "rules", "--lint=none", queries},
		{"check", "rules", alertsFile},
		{"test", "rules", "../../examples/grafana/alerts_test.yaml"},
	} {
		if out, err := exec.Command(os.Getenv("PROMTOOL"), args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
}
