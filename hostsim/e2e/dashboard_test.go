//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"warmroute/hostsim/internal/gateway"
)

// prometheus is the real one, which scrapes an Envoy's admin interface once a second.
type prometheus struct{ url string }

// scrape starts the Prometheus that PROMETHEUS names.
func (s *stack) scrape(t *testing.T) prometheus {
	t.Helper()
	binary, dir := os.Getenv("PROMETHEUS"), t.TempDir()
	if binary == "" {
		t.Fatal("PROMETHEUS names no Prometheus: examples/grafana/prometheus.sh DIR prometheus prints one")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	file := filepath.Join(dir, "prometheus.yml")
	config := fmt.Sprintf("global: {scrape_interval: 1s}\nscrape_configs:\n- {job_name: envoy, metrics_path: /stats/prometheus, static_configs: [{targets: [%q]}]}\n",
		strings.TrimPrefix(s.Admin, "http://"))
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	cmd := exec.Command(binary, "--config.file="+file, "--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+address)
	cmd.Stderr = &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait() // it was killed
		if t.Failed() {
			t.Log(log.String())
		}
	})
	return prometheus{"http://" + address}
}

// sample is one of a query's results.
type sample struct {
	Metric map[string]string
	Value  [2]any // time and value
}

func (s sample) value() float64 {
	v, err := strconv.ParseFloat(s.Value[1].(string), 64)
	if err != nil {
		return math.NaN()
	}
	return v
}

// query asks for a vector; the error is that of a Prometheus that is not up yet, or refuses the expression.
func (p prometheus) query(expr string) ([]sample, error) {
	response, err := http.PostForm(p.url+"/api/v1/query", url.Values{"query": {expr}})
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Status, Error string
		Data          struct{ Result []sample }
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Status != "success" {
		return nil, fmt.Errorf("%s %v", text, err)
	}
	return answer.Data.Result, nil
}

// one is the value of a query that has one result; NaN: it has none, or more.
func (p prometheus) one(expr string) float64 {
	if all, err := p.query(expr); err == nil && len(all) == 1 {
		return all[0].value()
	}
	return math.NaN()
}

// shipped are the expressions of the dashboard, by panel and letter, and of the manifests that scale.
func shipped(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	read := func(file string, into any) {
		text, err := os.ReadFile(root + "examples/" + file)
		if err == nil {
			err = yaml.Unmarshal(text, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var board struct {
		Panels []struct {
			Title   string
			Targets []struct{ RefID, Expr string }
		}
	}
	read("grafana/dashboard.json", &board)
	vars := strings.NewReplacer("$__rate_interval", "30s", "$__range", "5m", "$endpoint", ".*", "$pool", ".*")
	for _, p := range board.Panels {
		for _, target := range p.Targets {
			all[p.Title+" "+target.RefID] = vars.Replace(target.Expr)
		}
	}
	var keda struct {
		Spec struct {
			Triggers []struct{ Metadata map[string]string }
		}
	}
	read("autoscaling/scaledobject.yaml", &keda)
	all["KEDA"] = keda.Spec.Triggers[0].Metadata["query"]
	var adapter struct{ Data map[string]string }
	read("autoscaling/adapter.yaml", &adapter)
	var rules struct {
		ExternalRules []struct{ SeriesQuery, MetricsQuery string }
	}
	if err := yaml.Unmarshal([]byte(adapter.Data["config.yaml"]), &rules); err != nil {
		t.Fatal(err)
	}
	rule := rules.ExternalRules[0]
	all["prometheus-adapter"] = strings.NewReplacer("<<.Series>>", rule.SeriesQuery, "<<.LabelMatchers>>", "").Replace(rule.MetricsQuery)
	return all
}

// A real Prometheus answers every query of the dashboard, and of the manifests that scale, from a real Envoy; and the change and
// interval of an experiment are those of what Envoy has counted.
func TestDashboard(t *testing.T) {
	t.Parallel()
	const sessions, turns = 64, 3 // in 12 of the 16 groups or more: else there is no interval
	s := launch(t, "endpoint", func(o *gateway.Options) {
		o.Plugin = map[string]any{"shadow": "prefix_hash", "experiment": map[string]any{"share": 0.5, "policy": "round_robin"}}
	})
	p := s.scrape(t)
	within(t, time.Minute, "Prometheus has read what an experiment counts before the first request", func() bool {
		return p.one(`count(warmroute_experiment_streams_total)`) == 32
	})
	more := map[string]any{"stream": true, "stream_options": map[string]bool{"include_usage": true}}
	for turn := range turns {
		for c := range sessions {
			long := strings.Repeat(story(c), 1+c%3)
			body := chat(fmt.Sprintf("You are clerk %d. ", c)+long, strings.Repeat(fmt.Sprintf("Chat %d goes on. ", c), 40*(turn+1)), more)
			if r := s.post(t, "/v1/chat/completions", body, "x-session-id", fmt.Sprint(c)); r.status != 200 {
				t.Fatalf("status %d", r.status)
			}
		}
	}
	within(t, time.Minute, "Prometheus has read all answers", func() bool {
		for _, name := range []string{"experiment_answers_total", "experiment_streams_total", "experiment_computed_tokens_total", "experiment_ttft_milliseconds_total"} {
			if p.one(`sum(warmroute_`+name+`)`) != s.total(t, name) {
				return false
			}
		}
		return p.one(`sum(warmroute_experiment_answers_total)`) == sessions*turns && p.one(`sum(warmroute_ttft_milliseconds_count)`) == sessions*turns
	})
	queries := shipped(t)
	if len(queries) < 45 {
		t.Fatalf("%d queries", len(queries))
	}
	counted, err := s.Get("/stats/prometheus")
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for where, expr := range queries {
		found, err := p.query(expr)
		if err != nil {
			t.Errorf("%s: %v", where, err)
			continue
		}
		t.Logf("%-55s %d results", where, len(found))
		if len(found) > 0 {
			answered++
			continue
		}
		// Nothing fails, nothing is held, and nobody discovers; Envoy has no metrics of other gateways and zones.
		quiet := strings.Contains(expr, `outcome=~"failed`) || strings.Contains(expr, `outcome="cancelled"`) || strings.Contains(expr, `endpoint=""`) || strings.Contains(expr, "_discovery_")
		for _, name := range regexp.MustCompile(`warmroute_[a-z_]+`).FindAllString(expr, -1) {
			quiet = quiet || !strings.Contains(counted, "\n"+name)
		}
		if !quiet {
			t.Errorf("%s: nothing is found by %s", where, expr)
		}
	}
	if answered < 40 {
		t.Errorf("%d queries were answered", answered)
	}
	for title, names := range map[string][2]string{
		"Time to first token: live against experiment": {"experiment_ttft_milliseconds_total", "experiment_streams_total"},
		"Prefill tokens: live against experiment":      {"experiment_computed_tokens_total", "experiment_answers_total"},
	} {
		live, other := s.arm(t, "live", names[0], names[1]), s.arm(t, "experiment", names[0], names[1])
		ratio, half := live.against(other)
		gotChange, gotHalf := p.one(queries[title+" A"]), p.one(queries[title+" B"])
		t.Logf("%s: %.0f %% ± %.0f", title, 100*gotChange, 100*gotHalf)
		if !(math.Abs(gotChange-(ratio-1)) < 0.02) || !(math.Abs(gotHalf-half) < 0.02+half/10) {
			t.Errorf("%s: %.3f ± %.3f, want %.3f ± %.3f", title, gotChange, gotHalf, ratio-1, half)
		}
	}
}

// within waits for a condition of another process, as long as it says.
func within(t *testing.T, long time.Duration, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(long); !holds(); time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("after %v still not: %s", long, what)
		}
	}
}
