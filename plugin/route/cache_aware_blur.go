package route

import "math"

// chance is how much more than on average other gateways are taken to have sent: requests come by chance, and to send where
// another gateway has sent costs more than to pass over an endpoint that is as good. Twice and four times are level.
const chance = 2

// blur takes costs as equal that other gateways have probably levelled since their last news, where the endpoints hold as much
// of the prompt as the cheapest one, and prefers among equals the first from this gateway's turn on. All gateways see the same
// endpoint as the cheapest, and would send there what they get in that time.
func (v *view) blur(now int64) {
	unseen := chance * v.pool.Unseen(now)
	if unseen == 0 {
		return
	}
	best := -1
	for i, cost := range v.cost {
		if v.class[i] == v.best && (best < 0 || cost < v.cost[best]) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	least, level := v.cost[best], v.level(unseen, v.depth[best])
	from, chosen := v.pool.Turn(), false
	for k := range v.cost {
		i := (from + k) % len(v.cost)
		switch equal := v.class[i] == v.best && v.depth[i] >= v.depth[best] && v.cost[i] <= level; {
		case equal && !chosen:
			v.cost[i], chosen = least, true
		case equal:
			v.cost[i] += level - least + 1
		}
	}
}

// level is the cost of the cheapest endpoints that hold at least depth blocks, once tokens are spread over them so that all that
// got some cost the same.
func (v *view) level(tokens float64, depth int32) float64 {
	level := math.Inf(1)
	for {
		sum, n := tokens, 0.0
		for i, cost := range v.cost {
			if v.class[i] == v.best && v.depth[i] >= depth && cost < level {
				sum, n = sum+cost, n+1
			}
		}
		if next := sum / n; next < level { // the dearest of them get nothing
			level = next
		} else {
			return level
		}
	}
}
