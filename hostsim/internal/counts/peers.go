package counts

import (
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/promtext"
)

// peers judges what the module has counted of other gateways.
func peers(page promtext.Page) (out []finding.Finding) {
	const where = "gateways"
	most := func(name string) (most float64) { // over the pools, whose gateways are the same
		for _, m := range page[name] {
			most = max(most, m.Value)
		}
		return most
	}
	if n := most("warmroute_peers_former_secret"); n > 0 {
		out = append(out, finding.Weak.At(where, fmt.Sprintf("%.0f do not know the first of this gateway's secrets", n),
			"start them anew with it before a former one is removed (docs/gateways.md#changing-the-secret)"))
	}
	if page["warmroute_peers"] == nil || most("warmroute_peers") > 0 {
		return out
	}
	var reasons []string
	for _, m := range page["warmroute_peer_faults_total"] {
		if reason := m.Labels["reason"] + " (" + m.Labels["peer"] + ")"; m.Value > 0 && m.Labels["peer"] != "" && !slices.Contains(reasons, reason) {
			reasons = append(reasons, reason)
		}
	}
	if len(reasons) > 0 {
		slices.Sort(reasons)
		out = append(out, finding.Weak.At(where, "none gives news: "+strings.Join(reasons, ", "), "docs/gateways.md#metrics says why"))
	}
	return out
}
