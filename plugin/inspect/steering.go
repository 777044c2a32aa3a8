package inspect

import (
	"strconv"
	"strings"

	"warmroute/plugin/config"
)

// Steering is what the proxy is told of the decision, in the header or the property that cfg names: the addresses to
// try, in order; the first one's cluster; or the affinity key in 16 hexadecimal digits.
func (a *Answer) Steering(cfg *config.Config) string {
	d := a.decision
	switch cfg.Steer.Target {
	case config.TargetHash:
		key := strconv.FormatUint(d.Key, 16)
		return "0000000000000000"[len(key):] + key
	case config.TargetCluster:
		return a.router.Endpoints[d.Order[0]].Cluster
	}
	var list strings.Builder
	for i, e := range d.Order {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(a.router.Endpoints[e].Address)
	}
	return list.String()
}
