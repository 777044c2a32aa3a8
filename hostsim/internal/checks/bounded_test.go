package checks

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// A filter that bounds bodies more narrowly than the module holds them belongs before it.
func TestBoundsBehindTheModule(t *testing.T) {
	const ours, router = "          - name: warmroute\n", "          - name: envoy.filters.http.router\n"
	const buffer = `          - {name: buffer, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer, max_request_bytes: 1048576}}` + "\n"
	const authz = `          - {name: authz, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz, with_request_body: {max_request_bytes: 8192}}}` + "\n"
	const module = `          - {name: warmroute, config_discovery: {type_urls: [type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm]}}` + "\n"
	text := example(t, "endpoint")
	if n := strings.Count(text, ours) + strings.Count(text, router); n != 2 {
		t.Fatalf("%d places in the example, want 2", n)
	}
	for _, c := range []struct {
		before, filter string
		want           finding.Level
	}{
		{router, buffer, finding.Broken},
		{router, authz, finding.Broken},
		{ours, module + buffer, finding.Broken},
		{ours, buffer + authz, finding.Fine},
		{router, strings.Replace(buffer, "1048576", `"4194304"`, 1), finding.Fine},
		{router, strings.Replace(buffer, "{name", "{disabled: true, name", 1), finding.Fine},
		{router, strings.Replace(authz, "8192", "8192, allow_partial_message: true", 1), finding.Weak}, // it refuses, too
	} {
		all := judge(t, strings.Replace(text, c.before, c.filter+c.before, 1))
		if finding.Worst(all) != c.want || c.want == finding.Broken && !strings.Contains(all[0].What, "hang") {
			t.Errorf("%s: %+v", c.filter, all)
		}
	}
	all := judge(t, strings.Replace(example(t, "property"), "max_request_bytes: 4194304", "max_request_bytes: 65536", 1))
	if finding.Worst(all) == finding.Broken { // it holds nothing itself
		t.Errorf("property: %+v", all)
	}
}
