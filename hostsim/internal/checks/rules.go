package checks

import (
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
)

// ruled judges the time-outs and retries of VirtualServices and HTTPRoutes that are given with a module of a mesh: of the rules that patches
// look for or, where they look for none by name, of all.
func (s setup) ruled() (out []finding.Finding) {
	var names []string
	for i := range s.Patches {
		if name := tree.Str(s.Patches[i].Match, "routeConfiguration", "vhost", "route", "name"); s.Patches[i].ApplyTo == "HTTP_ROUTE" && name != "" {
			names = append(names, name)
		}
	}
	for i := range s.Rules {
		if r := &s.Rules[i]; len(names) == 0 || slices.Contains(names, r.Name) {
			out = append(out, rule(r)...)
		}
	}
	return finding.Distinct(out)
}

func rule(r *manifest.Rule) (out []finding.Finding) {
	where := r.Where + ", the rule " + finding.OrNone(r.Name)
	for _, at := range [][]string{{"timeout"}, {"timeouts", "request"}, {"timeouts", "backendRequest"}} {
		if t := tree.Str(r.Has, at...); t != "" && strings.Trim(t, "0hms") != "" {
			out = append(out, finding.Weak.At(where, "it ends answers after "+t+", however long they are", strings.Join(at, ".")+": 0s"))
		}
	}
	if t := tree.Str(r.Has, "retries", "perTryTimeout"); short(t, 0) {
		out = append(out, finding.Weak.At(where, "perTryTimeout "+t+" makes a slow replica a failure: its requests are computed again elsewhere, under load the more", "no perTryTimeout, or minutes: it must outlast the queue and, without streaming, the whole answer"))
	}
	retries, has := tree.Member(r.Has, "retries").(map[string]any)
	if on := tree.Str(retries, "retryOn"); has && !slices.ContainsFunc([]string{"gateway-error", "5xx", "503"}, func(kind string) bool { return strings.Contains(on, kind) }) {
		out = append(out, finding.Weak.At(where, "its retries leave out 503, which the sidecar of a server that has died answers in its place", "retryOn: connect-failure,refused-stream,reset-before-request,reset,gateway-error"))
	}
	return out
}
