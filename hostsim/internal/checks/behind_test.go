package checks

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// What operators put around the module, where Envoy takes it and requests are answered: each is said, and what is right is not.
func TestMistakesAround(t *testing.T) {
	const ours, router, route, cluster = "          - name: warmroute\n", "          - name: envoy.filters.http.router\n", "timeout: 0s #", "    type: STATIC\n"
	filter := func(kind, more string) string {
		return `          - {name: x, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.` + kind + more + "}}\n"
	}
	packs, limits := filter("compressor.v3.Compressor", ""), filter("local_ratelimit.v3.LocalRateLimit", ", stat_prefix: x")
	unpacks := func(ratio string) string {
		return filter("decompressor.v3.Decompressor", `, decompressor_library: {name: gzip, typed_config: {"@type": type.googleapis.com/envoy.extensions.compression.gzip.decompressor.v3.Gzip`+ratio+"}}")
	}
	const off = "warmroute: { \"@type\": type.googleapis.com/envoy.config.route.v3.FilterConfig, disabled: true }"
	const last = "              - match: { prefix: / }\n                route: *vllm\n"
	for name, c := range map[string]struct {
		from, to string
		level    finding.Level
		what     string // "": nothing is wrong
	}{
		"answers packed before they are read":      {router, packs + router, finding.Weak, "packs answers before it reads them"},
		"requests alone packed":                    {router, filter("compressor.v3.Compressor", ", response_direction_config: {common_config: {enabled: {default_value: false}}}") + router, finding.Fine, ""},
		"answers packed behind":                    {ours, packs + ours, finding.Fine, ""},
		"a choice overridden":                      {ours, filter("stateful_session.v3.StatefulSession", "") + ours, finding.Weak, "the filter x overrides the choice"},
		"failures hidden":                          {router, filter("custom_response.v3.CustomResponse", "") + router, finding.Weak, "answers in place of replicas that fail"},
		"failures hidden before":                   {ours, filter("custom_response.v3.CustomResponse", "") + ours, finding.Fine, ""},
		"requests that are cut off":                {ours, unpacks("") + ours, finding.Weak, "the filter x cuts off, without an error, requests that become 100 times"},
		"requests that are not":                    {ours, unpacks(", max_inflate_ratio: 1032") + ours, finding.Fine, ""},
		"answers alone unpacked":                   {ours, filter("decompressor.v3.Decompressor", ", request_direction_config: {common_config: {enabled: {default_value: false}}}") + ours, finding.Fine, ""},
		"a limit behind":                           {router, limits + router, finding.Weak, "filters behind the module refuse requests: x"},
		"a limit behind, off":                      {router, strings.Replace(limits, "{name", "{disabled: true, name", 1) + router, finding.Fine, ""},
		"a limit before":                           {ours, limits + ours, finding.Fine, ""},
		"off":                                      {ours, ours + "            disabled: true\n", finding.Broken, "is disabled, and no route turns it on"},
		"off at every route":                       {last, last + "                typed_per_filter_config: { " + off + " }\n", finding.Broken, "every route turns off the filter warmroute"},
		"a switch of another name":                 {"                  warmroute: { \"@type\"", "                  warmrute: { \"@type\"", finding.Weak, "turns off the filter warmrute, and none has that name"},
		"a short life of streams":                  {route, "max_stream_duration: {max_stream_duration: 30s}\n                  " + route, finding.Weak, "max_stream_duration 30s ends answers"},
		"the same, of all":                         {"          use_remote_address: true", "          common_http_protocol_options: {max_stream_duration: 30s}\n          use_remote_address: true", finding.Weak, "max_stream_duration 30s ends answers"},
		"a long one":                               {route, "max_stream_duration: {max_stream_duration: 3600s}\n                  " + route, finding.Fine, ""},
		"a mirror into the pool":                   {route, "request_mirror_policies: [{cluster: vllm}]\n                  " + route, finding.Weak, "mirrors requests to cluster vllm"},
		"health checks that nobody hears of":       {cluster, cluster + "    health_checks: [{timeout: 1s}]\n", finding.Weak, "the module does not hear of its health_checks"},
		"ejections that nobody hears of":           {cluster, cluster + "    outlier_detection: {}\n", finding.Weak, "the module does not hear of its outlier_detection"},
		"priorities that nobody hears of":          {"      - lb_endpoints:\n", "      - priority: 1\n        lb_endpoints:\n", finding.Weak, "the module does not hear of its priorities"},
		"subsets behind the choice":                {"least_request.v3.LeastRequest", "subset.v3.Subset", finding.Weak, "its subsets stand in the fallback_policy of override_host"},
		"an endpoint left out":                     {"                        \"127.0.0.1:8002\",\n", "", finding.Weak, "endpoints lack its hosts 127.0.0.1:8002"},
		"a narrow breaker":                         {"max_requests: 16384", "max_requests: 100", finding.Weak, "its circuit breaker has max_requests 100"},
		"a breaker as wide as Envoy's without one": {"max_requests: 16384", "max_requests: 1024", finding.Fine, ""},
	} {
		text := example(t, "endpoint")
		if !strings.Contains(text, c.from) {
			t.Fatalf("%s: the example has no %q", name, c.from)
		}
		all := judge(t, strings.Replace(text, c.from, c.to, 1))
		if finding.Worst(all) != c.level || !strings.Contains(all[0].What, c.what) {
			t.Errorf("%s: %+v", name, all)
		}
	}
	for _, known := range []string{"health_checks: [{timeout: 1s}]", "outlier_detection: {}"} {
		text := strings.Replace(example(t, "discovery"), "  - name: vllm\n", "  - name: vllm\n    "+known+"\n", 1)
		if all := judge(t, text); !strings.Contains(text, known) || finding.Worst(all) != finding.Fine {
			t.Errorf("discovery tells %s: %+v", known, all)
		}
	}
}
