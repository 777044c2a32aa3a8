package counts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/promtext"
	"warmroute/plugin/config"
)

// cures say what to look at, by why an endpoint is down.
var cures = map[string]string{
	"refused":   "is it running, and is this its port? kubectl get pods; kubectl logs of that pod",
	"failing":   "the replica's log; cx_connect_fail and rq_error of the host in Envoy's /clusters tell refused connections from errors",
	"silent":    "it may hang: the replica's log; restart it if it does not answer curl http://ADDRESS/health",
	"unhealthy": "health_flags of the host in Envoy's /clusters; the cluster's health_checks or outlier_detection",
}

// outage is one of an endpoint, or of several ranks of one server.
type outage struct {
	server, pool, why string
}

// outages names the endpoints that are down, since when and why. Ranks of one server are named together: they go down together where it
// refuses.
func outages(page promtext.Page, now time.Time) (out []finding.Finding) {
	var all []outage
	ranks, since := map[outage][]string{}, map[outage]float64{}
	for _, m := range page["warmroute_endpoint_down_since_timestamp_seconds"] {
		if m.Value == 0 {
			continue
		}
		server, rank := config.SplitRank(m.Labels["endpoint"])
		o := outage{server, ofPool(m), m.Labels["reason"]}
		if since[o] == 0 {
			all, since[o] = append(all, o), m.Value
		}
		if since[o] = min(since[o], m.Value); rank != "" {
			ranks[o] = append(ranks[o], rank)
		}
	}
	for _, o := range all {
		where := "endpoint " + o.server
		if of := ranks[o]; len(of) == 1 {
			where = "endpoint " + config.RankAddress(o.server, of[0])
		} else if len(of) > 1 {
			slices.SortFunc(of, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
			where += ", ranks " + strings.Join(of, ", ")
		}
		cure := cures[o.why]
		if o.why == "unhealthy" && len(ranks[o]) > 0 { // as the module takes ranks to be that a page of metrics does not name
			cure = "has the server such ranks (curl http://" + o.server + "/metrics)? If not, data_parallel_ranks: as many as it has; else " + cure
		}
		out = append(out, finding.Weak.At(where+o.pool, fmt.Sprintf("it has been down for %.0f s: %s", max(float64(now.Unix())-since[o], 0), o.why), cure))
	}
	return out
}
