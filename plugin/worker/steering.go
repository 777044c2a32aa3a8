package worker

import (
	"strconv"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/clusters"
	"warmroute/plugin/config"
)

// Steering is the value of the header or property that carries the decision to the proxy: the names of the hosts to try, in order;
// the first one's cluster; or the affinity key in 16 hexadecimal digits. It is valid until the next call.
func (x *Exchange) Steering() []byte {
	d, p, dst := &x.decision, x.pool, x.steering[:0]
	switch p.cfg.Steer.Target {
	case config.TargetHash:
		dst = bytestr.AppendHex(dst, d.Key, 16)
	case config.TargetCluster:
		dst = append(dst, p.known.Endpoints[d.Order[0]].Cluster...)
	default:
		for i, e := range d.Order {
			if i > 0 {
				dst = append(dst, ',')
			}
			to := &p.known.Endpoints[e]
			dst = clusters.AppendName(dst, to.Listener, to.Server())
		}
	}
	x.steering = dst
	return dst
}

// Rank is the data-parallel rank that the request is to name to its server, in decimal digits; "" where servers are endpoints.
func (x *Exchange) Rank() string {
	_, rank := config.SplitRank(x.address)
	return rank
}

// Cluster is the cluster that all endpoints of the request's pool are in, for config.ClusterHeader, also if the request is not
// steered; "" leaves it to the route.
func (x *Exchange) Cluster() string {
	if x.pool == nil {
		return ""
	}
	return x.pool.cfg.Steer.Cluster
}

// Describe is the decision and what is known of the response, as name=value pairs joined by ';'. It never has text of the
// prompt. It is valid until the next call.
func (x *Exchange) Describe() []byte {
	if x.described == 0 {
		x.describeDecision()
	}
	dst := x.text[:x.described]
	if x.served != "" {
		dst = append(dst, ";served="...)
		dst = append(dst, x.served...)
	}
	if x.ttft > 0 {
		dst = append(dst, ";ttft_us="...)
		dst = strconv.AppendInt(dst, x.ttft/1000, 10)
	}
	if x.known {
		dst = append(dst, ";prompt_tokens="...)
		dst = strconv.AppendInt(dst, int64(x.tokens), 10)
		dst = append(dst, ";cached_tokens="...)
		dst = strconv.AppendInt(dst, int64(x.cached), 10)
	}
	x.text = dst
	return dst
}

// describeDecision writes what does not change with the response.
func (x *Exchange) describeDecision() {
	dst := x.pool.describe(x.text[:0])
	if p := x.pool; p.known == nil {
		dst = x.decision.Append(dst, nil)
	} else {
		dst = x.decision.Append(dst, p.known.Endpoints)
	}
	if x.held > 0 {
		dst = strconv.AppendInt(append(dst, ";held_ms="...), x.held/1e6, 10)
	}
	if x.arm != NoArm {
		dst = append(append(dst, ";arm="...), ArmNames[x.arm]...)
	}
	x.text = x.shadow.append(dst)
	x.described = len(x.text)
}

func (p *Pool) describe(dst []byte) []byte {
	if p.name == "" {
		return dst
	}
	return append(append(append(dst, "pool="...), p.name...), ';')
}
