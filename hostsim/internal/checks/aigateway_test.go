package checks

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// What does not go together with Envoy AI Gateway is named, with what it takes instead.
func TestAIGateway(t *testing.T) {
	const (
		translated = `    typed_extension_protocol_options:
      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
        http_filters: [{ name: envoy.filters.http.ext_proc/aigateway }, { name: envoy.filters.http.upstream_codec }]
`
		header   = "answers 500 to each request that has it"
		readings = "answers 500 to all but clients' requests"
		unseen   = "the pool o gets no request"
	)
	of := func(text, cluster string) string {
		at := "  - name: " + cluster + "\n"
		if !strings.Contains(text, at) {
			t.Fatalf("no cluster %s", cluster)
		}
		return strings.Replace(text, at, at+translated, 1)
	}
	endpoint := example(t, "endpoint")
	other := strings.NewReplacer(`"steer": {`, `"steer": {"header": "x-warmroute-endpoint", `, "- header: x-gateway-destination-endpoint", "- header: x-warmroute-endpoint").Replace(endpoint)
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"without it":      {endpoint, nil},
		"as it is":        {of(endpoint, "vllm"), []string{header, readings}},
		"another header":  {of(other, "vllm"), []string{readings}},
		"pool by cluster": {of(pooled(t, `{"name": "o", "match": {"cluster": "orchard"}}`), "orchard"), []string{header, readings, unseen}},
	} {
		all := judge(t, c.text)
		for _, what := range []string{header, readings, unseen} {
			want := false
			for _, w := range c.want {
				want = want || w == what
			}
			if got := strings.Contains(fmt.Sprint(all), what); got != want {
				t.Errorf("%s: %q is said: %v, want %v: %+v", name, what, got, want, all)
			}
		}
		if len(c.want) > 0 && finding.Worst(all) != finding.Broken {
			t.Errorf("%s: %+v", name, all)
		}
	}
}

// Metrics may be read through a cluster of their own, by the header that readings have whatever steer.header is.
func TestMetricsOfAClusterOfTheirOwn(t *testing.T) {
	text := pooled(t, `{"name": "o", "match": {"models": ["o"]}, "discovery": {"cluster": "orchard"}, "scrape": {"cluster": "readings"}, "steer": {"header": "x-other"}}`)
	from := strings.Index(text, "  - name: orchard\n")
	to := from + strings.Index(text[from+1:], "\n  - name: ") + 2
	readings := strings.NewReplacer("name: orchard", "name: readings", "cluster_name: orchard", "cluster_name: readings", "&limits", "", "&steered", "").Replace(text[from:to])
	text = text[:from] + strings.Replace(text[from:to], "- header: x-gateway-destination-endpoint", "- header: x-other", 1) + readings + text[to:]
	if all := judge(t, text); strings.Contains(fmt.Sprint(all), "override_host") {
		t.Errorf("%+v", all)
	}
	all := judge(t, strings.Replace(text, "- header: x-gateway-destination-endpoint", "- header: x-none", 1))
	if !strings.Contains(fmt.Sprint(all), "cluster readings") || !strings.Contains(fmt.Sprint(all), "readings of metrics reach any replica") {
		t.Errorf("%+v", all)
	}
}

// A gate that writes another header than the module before it names is found.
func TestGateWritesAnotherHeader(t *testing.T) {
	text := strings.Replace(example(t, "endpoint"), `"via": "header"`, `"via": "property", "header": "x-other"`, 1)
	from, to := strings.Index(text, "          - name: warmroute\n"), strings.Index(text, "          - name: envoy.filters.http.router\n")
	head, _, _ := strings.Cut(text[from:to], "value: |")
	for steer, want := range map[string]bool{`{"role": "gate"}`: true, `{"role": "gate", "steer": {"header": "x-other"}}`: false} {
		gate := strings.Replace(head, "- name: warmroute", "- name: gate", 1) + "value: '" + steer + "'\n"
		if got := strings.Contains(fmt.Sprint(judge(t, text[:to]+gate+text[to:])), "the gate writes the choice into x-gateway-destination-endpoint"); got != want {
			t.Errorf("%s: said: %v, want %v", steer, got, want)
		}
	}
}
