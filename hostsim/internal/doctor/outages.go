package doctor

import (
	"fmt"
	"time"
)

// cures say what to look at, by why an endpoint is down.
var cures = map[string]string{
	"refused":   "is it running, and is this its port? kubectl get pods; kubectl logs of that pod",
	"failing":   "the replica's log; cx_connect_fail and rq_error of the host in Envoy's /clusters tell refused connections from errors",
	"silent":    "it may hang: the replica's log; restart it if it does not answer curl http://ADDRESS/health",
	"unhealthy": "health_flags of the host in Envoy's /clusters; the cluster's health_checks or outlier_detection",
}

// outages names the endpoints that are down, since when and why.
func outages(page pageOf, now time.Time) (out []Finding) {
	for _, m := range page["warmroute_endpoint_down_since_timestamp_seconds"] {
		if m.value == 0 {
			continue
		}
		where := "endpoint " + m.labels["endpoint"] + ofPool(m)
		why := m.labels["reason"]
		out = append(out, Finding{Weak, where, fmt.Sprintf("it has been down for %.0f s: %s", max(float64(now.Unix())-m.value, 0), why), cures[why]})
	}
	return out
}
