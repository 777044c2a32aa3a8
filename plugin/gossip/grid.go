package gossip

// Beyond direct+1 gateways each asks a few. Gateways stand in a circle, by address. With s the root of their number, rounded up,
// each asks the s−1 behind it and every s-th: any other is q·s + r places away, so one that it asks has asked it. That is about
// 2·√n asks instead of n: 10 at 32 gateways. Where a gateway does not answer, the next one in the circle is asked in its place.

// choose sets which gateways are asked.
func (g *Gossip) choose() {
	n := len(g.peers)
	if cap(g.wanted) < n {
		g.wanted = make([]bool, n)
	}
	g.wanted = g.wanted[:n]
	for i := range g.wanted {
		g.wanted[i] = n <= direct+1 || g.self < 0
	}
	if n <= direct+1 || g.self < 0 {
		return
	}
	g.wanted[g.self] = true // rarely: its address may be another gateway's by now
	for _, offset := range offsets(n) {
		for k := range n {
			i := (g.self + offset + k) % n
			if i == g.self || g.wanted[i] && k > 0 {
				continue
			}
			g.wanted[i] = true
			if g.peers[i].failures < 2 {
				break
			}
		}
	}
}

// offsets are the places in a circle of n that are asked from place 0.
func offsets(n int) (all []int) {
	s := 1
	for s*s < n {
		s++
	}
	for r := 1; r < s && r < n; r++ {
		all = append(all, r)
	}
	for q := s; q < n; q += s {
		all = append(all, q)
	}
	return all
}
