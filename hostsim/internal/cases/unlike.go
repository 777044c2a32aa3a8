package cases

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"warmroute/hostsim/internal/vllm"
)

// DrawnUnlike are the cases of Drawn with two kinds of cards in each pool, half of the replicas each, that serve one model. Each kind has the
// same share of its own memory; either stands first. With odd they are cards that nobody has, of which no memory tells the speed.
func DrawnUnlike(n int, seed uint64, odd bool) []Case {
	name := "unlike"
	if odd {
		name = "unlike-odd"
	}
	return drawn(n, seed, name, func(i int) deck {
		d := deck{card: card, unlike: rand.New(rand.NewPCG(seed, 31_000+uint64(i)))}
		if odd {
			d.card = oddCards(seed, i)
		}
		return d
	})
}

// twoKinds gives the case a second kind of cards beside that of such a name, and so much of its memory to each.
func (d deck) twoKinds(c *Case, l *drawnLoad, name string, memory float64) string {
	var others []string
	for _, other := range drawnProfiles {
		if other != name && model(other) == model(name) {
			others = append(others, other)
		}
	}
	names := [2]string{name, oneOf(d.unlike, others...)}
	if d.unlike.Float64() < 0.5 {
		names[0], names[1] = names[1], names[0]
	}
	p, first := d.card(names[0])
	q, second := d.card(names[1])
	c.Replicas, c.Slower = max(c.Replicas, 2), nil
	l.profile, c.Profile, l.second, c.Second = p, as(p), &q, as(q)
	l.kvTokens, l.secondKV = int(float64(p.KVTokens())*memory), int(float64(q.KVTokens())*memory)
	return fmt.Sprintf("%d × %s and %d × %s", c.Replicas/2, first, c.Replicas-c.Replicas/2, second)
}

// model is the size of a drawn profile's model.
func model(name string) string {
	for _, size := range []string{"70b", "32b"} {
		if strings.Contains(name, size) {
			return size
		}
	}
	return "8b"
}

// kv is the memory of a replica of that kind.
func (l *drawnLoad) kv(p *vllm.Profile) int {
	if p == l.second {
		return l.secondKV
	}
	return l.kvTokens
}

// leastKV is the least memory of a replica.
func (l *drawnLoad) leastKV() int { return min(l.kvTokens, l.secondKV) }

// holdRecorded gives the smallest replica so much memory, and others as much more as they have.
func (l *drawnLoad) holdRecorded(tokens int) {
	times := func(kv int) int { return int(float64(kv) * float64(tokens) / float64(l.leastKV())) }
	l.kvTokens, l.secondKV = times(l.kvTokens), times(l.secondKV)
}
