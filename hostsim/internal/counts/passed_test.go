package counts

import (
	"strings"
	"testing"

	"warmroute/plugin/why"
)

// Requests that pass though they have a prompt are said, with the reason and what to do; those that have none are not.
func TestPassed(t *testing.T) {
	const (
		pool     = `warmroute_passed_total{reason="no_pool"} `
		off      = `warmroute_passed_total{reason="off",pool="a"} `
		get      = `warmroute_passed_total{reason="not_post"} `
		other    = `warmroute_passed_total{reason="not_llm"} `
		steered  = `warmroute_requests_total{reason="match",endpoint="a:1"} `
		nothing  = "nothing was routed yet"
		pass     = "passed unsteered"
		document = "docs/troubleshooting.md#requests-pass-unsteered"
	)
	for _, c := range []struct{ page, want, not string }{
		{countedPage(), nothing, pass},
		{countedPage(get + "3"), "3 requests passed that no pool is for (not_post): nothing was routed yet", pass},
		{countedPage(other + "3"), "no request was steered: 3 passed with paths that are none of vLLM's (not_llm) → \"paths\": ", nothing},
		{countedPage(other+"3", get+"9"), "no request was steered: 3 passed", nothing},
		{countedPage(other+"3", steered+"1"), "no answer had a usage", pass},
		{countedPage(pool + "1"), "1 request passed unsteered: no_pool → no_pool: no pool's match", nothing},
		{countedPage(pool+"3", get+"9"), "3 requests passed unsteered: no_pool → ", nothing},
		{countedPage(off+"1", pool+"3"), "4 requests passed unsteered: no_pool 3, off 1 → no_pool: ", nothing},
		{countedPage(pool+"3", steered+"20"), "3 of 23 requests passed unsteered: no_pool", nothing},
		{countedPage(pool+"3", steered+"30", get+"90"), "no answer had a usage", pass},
		{countedPage(`warmroute_passed_total{reason="news"} 3`), "3 requests passed unsteered: news → " + document, nothing},
		{countedPage(`warmroute_passed_total{reason="no_endpoints"} 2`), "the module knows no endpoint", nothing},
	} {
		found(t, c.page, c.want, c.not, countedAt1000)
	}
	for _, code := range why.Passed {
		if cure := passing[string(code)]; code != why.NotPost && code != why.NotLLM && !strings.HasPrefix(cure, string(code)+": ") {
			t.Errorf("what to do about %s is %q", code, cure)
		}
	}
}
