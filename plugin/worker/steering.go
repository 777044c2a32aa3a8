package worker

import (
	"strconv"
	"strings"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/config"
)

// Steering is the value of the header or property that carries the decision to the proxy: the addresses to try, in order;
// the first one's cluster; or the affinity key in 16 hexadecimal digits.
func (x *Exchange) Steering() string {
	d, w := &x.decision, x.worker
	switch w.cfg.Steer.Target {
	case config.TargetHash:
		return string(bytestr.AppendHex(nil, d.Key, 16))
	case config.TargetCluster:
		return w.pool.Endpoints[d.Order[0]].Cluster
	}
	var list strings.Builder
	for i, e := range d.Order {
		if i > 0 {
			list.WriteByte(',')
		}
		list.WriteString(w.pool.Endpoints[e].Address)
	}
	return list.String()
}

// Describe is the decision and what is known of the response, as name=value pairs joined by ';'. It never has text of the
// prompt.
func (x *Exchange) Describe() []byte {
	var dst []byte
	if w := x.worker; w.pool == nil {
		dst = x.decision.Append(nil, nil)
	} else {
		dst = x.decision.Append(nil, w.pool.Endpoints)
	}
	dst = x.shadow.append(dst)
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
	return dst
}
