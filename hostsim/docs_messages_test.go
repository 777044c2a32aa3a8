package main

import (
	"regexp"
	"strings"
	"testing"

	"warmroute/plugin/complaints"
	"warmroute/plugin/scout"
)

var (
	docQuote = regexp.MustCompile("`([^`\n]+)`")
	faultIs  = regexp.MustCompile(`Fault\s*= "([^"]+)"`)
	quotedAt = regexp.MustCompile(`\(([^()\s]+)(?: through the cluster ([^()\s]+))?\)`)
)

// Failures of what the module asks for are quoted as its log has them: with what was asked, and through which cluster.
func TestQuotedFailures(t *testing.T) {
	pages, sources := texts(t)
	var faults []string
	for name, source := range sources {
		if strings.HasPrefix(name, "plugin/") && !strings.HasSuffix(name, "_test.go") {
			for _, m := range faultIs.FindAllStringSubmatch(source, -1) {
				faults = append(faults, m[1])
			}
		}
	}
	found := 0
	for name, page := range pages {
		for _, q := range docQuote.FindAllStringSubmatch(page, -1) {
			for _, fault := range faults {
				rest, ok := strings.CutPrefix(q[1], fault)
				at := quotedAt.FindStringSubmatch(rest)
				if !ok || len(fault) < 20 || at == nil {
					continue
				}
				found++
				if want := complaints.Failure(scout.Call{Authority: at[1], Cluster: at[2]}, scout.Fault(fault)); q[1] != want {
					t.Errorf("%s: the log does not say %q, but %q", name, q[1], want)
				}
			}
		}
	}
	if found < 5 {
		t.Errorf("%d failures are quoted", found)
	}
}
