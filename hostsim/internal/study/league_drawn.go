package study

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/vllm"
)

// Cases that nobody chose: drawn from a wide space of loads and fleets, each by the seed and its own number, so that a case is the
// same however many are drawn.

// family is sessions of one kind. Lengths are means, drawn log-normally for each session or turn.
type family struct {
	kind     string
	share    float64 // of the sessions
	reuse    float64 // of its sessions, that begin with one of the shared prefixes
	prefixes int     // shared ones
	skew     float64 // the k-th most popular is drawn with weight k^−skew
	prefix   int     // tokens of one
	turns    float64 // of a session, geometric, ≥ 1
	turn     int     // tokens that each adds
	answer   int     // tokens
	think    float64 // s between turns, exponential
}

// span is what a number is drawn from: even in its logarithm.
type span struct{ least, most float64 }

func (s span) draw(rng *rand.Rand) float64 { return s.least * math.Pow(s.most/s.least, rng.Float64()) }

// kinds are the spaces that families are drawn from, some more often than others.
var kinds = []struct {
	name                                             string
	often                                            float64
	reuse                                            [2]float64
	prefixes, prefix, turns, turn, answer, thinkTime span
}{
	{"chats", 3, [2]float64{0, 1}, span{1, 64}, span{50, 4000}, span{1.5, 8}, span{30, 1000}, span{20, 500}, span{3, 60}},
	{"agents", 2, [2]float64{0.5, 1}, span{1, 8}, span{3000, 20000}, span{6, 40}, span{100, 4000}, span{20, 400}, span{1, 15}},
	{"one prompt", 2, [2]float64{0.4, 1}, span{1, 6}, span{300, 8000}, span{1, 1}, span{30, 600}, span{5, 500}, span{1, 1}},
	{"documents", 2, [2]float64{0.9, 1}, span{10, 500}, span{1000, 20000}, span{1, 3}, span{20, 300}, span{20, 400}, span{3, 60}},
	{"strangers", 1, [2]float64{0, 0}, span{1, 1}, span{50, 8000}, span{1, 1}, span{20, 500}, span{5, 500}, span{1, 1}},
}

func drawFamily(rng *rand.Rand, share float64) family {
	var often []float64
	for i := range kinds {
		often = append(often, kinds[i].often)
	}
	k := kinds[draw(rng, often)]
	return family{
		kind: k.name, share: share, reuse: k.reuse[0] + (k.reuse[1]-k.reuse[0])*rng.Float64(), prefixes: int(k.prefixes.draw(rng)), skew: 1.5 * rng.Float64(),
		prefix: int(k.prefix.draw(rng)), turns: k.turns.draw(rng), turn: int(k.turn.draw(rng)), answer: int(k.answer.draw(rng)), think: k.thinkTime.draw(rng),
	}
}

func (f *family) String() string {
	begin := ""
	switch {
	case f.reuse > 0 && f.prefixes == 1:
		begin = fmt.Sprintf(", %.0f %% begin alike", 100*f.reuse)
	case f.reuse > 0:
		begin = fmt.Sprintf(", %.0f %% begin with one of %d (k^-%.1f)", 100*f.reuse, f.prefixes, f.skew)
	}
	turns := ""
	if f.turns > 1 {
		turns = fmt.Sprintf(", %.1f turns", f.turns)
	}
	return fmt.Sprintf("%.0f %% %s of %d + %d tokens%s%s, answers of %d", 100*f.share, f.kind, f.prefix, f.turn, begin, turns, f.answer)
}

// recordings are what cuts are taken from: so many requests (coding: sessions) of so many.
var recordings = []struct {
	file     string
	cut, all int
}{{loads.ConversationFile, 2000, 7851}, {loads.SyntheticFile, 2000, 3993}, {loads.CodingFile, 12, 458}}

// DrawnCases are n cases of that seed.
func DrawnCases(n int, seed uint64) []LeagueCase {
	cases := make([]LeagueCase, n)
	for i := range cases {
		cases[i] = drawCase(rand.New(rand.NewPCG(seed, 100+uint64(i))))
		cases[i].drawn, cases[i].ID = true, fmt.Sprintf("drawn-%d-%d", seed, i+1)
	}
	return cases
}

func oneOf[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

func drawCase(rng *rand.Rand) LeagueCase {
	c := LeagueCase{
		replicas: oneOf(rng, 1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 6, 8, 8, 8, 10, 12, 16, 16, 24, 32), workers: 1 + rng.IntN(4), gateways: oneOf(rng, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4),
		named: rng.Float64() < 0.25,
	}
	l := &drawnLoad{load: 0.2 + rng.Float64(), bursts: oneOf(rng, 1, 1, 1.5, 2, 4)}
	fleetText := c.drawFleet(rng, l)
	cut := rng.Float64() < 0.2
	if cut {
		r := recordings[rng.IntN(len(recordings))]
		l.file, l.skip, l.limit = r.file, rng.IntN(r.all-r.cut), r.cut
		c.published, l.kvTokens = true, int(span{200_000, 2_000_000}.draw(rng))
	} else {
		l.drawFamilies(rng)
		if c.closed = rng.Float64() < 0.4; c.closed && rng.Float64() < 0.4 {
			l.clients = int(span{4, 80}.draw(rng)) * c.replicas
			c.clients, c.rate = l.clients, true
		}
	}
	c.kvTokens, c.load, l.replicas, l.slower = l.kvTokens, l.trace, c.replicas, c.slower
	text := []string{fmt.Sprintf("%s, %d KV tokens", fleetText, c.kvTokens), l.String()}
	for at, word := range []string{"workers", "gateways"} {
		if n := []int{c.workers, c.gateways}[at]; n > 1 {
			text = append(text, fmt.Sprintf("%d %s", n, word))
		}
	}
	if c.closed && c.clients == 0 {
		text = append(text, "turns wait for answers")
	}
	if c.named {
		text = append(text, "named")
	}
	c.What = strings.Join(text, "; ")
	return c
}

// drawnProfiles are what replicas are drawn from, by place: a name more, or another order, would change all cases. docs/league.md
// has figures of them.
var drawnProfiles = []string{
	"a100-llama8b", "a100x2-qwen32b", "a100x4-llama70b", "b200-llama70b", "b200-llama8b", "b200-qwen32b", "h100-8b",
	"h100-llama8b", "h100x2-70b", "h100x2-qwen32b", "h100x4-llama70b", "h200-llama8b", "h200-qwen32b", "h200x2-llama70b",
	"l4-8b-fp8", "l40s-llama8b", "l40sx2-qwen32b", "l40sx4-llama70b", "l4x2-llama8b", "l4x4-qwen32b", "l4x8-llama70b",
	"mi300x-llama70b", "mi300x-llama8b", "mi300x-qwen32b", "rtx4090-8b", "rtx4090-llama8b", "rtx4090x4-qwen32b", "rtx4090x8-llama70b",
	"rtxpro6000-llama8b", "rtxpro6000-qwen32b", "rtxpro6000x2-llama70b",
}

// drawFleet draws the replicas and their memory.
func (c *LeagueCase) drawFleet(rng *rand.Rand, l *drawnLoad) string {
	name := drawnProfiles[rng.IntN(len(drawnProfiles))]
	if rng.Float64() < 0.25 {
		name = "h100-8b"
	}
	l.profile, _ = vllm.LoadProfile(name) // built in: TestDrawnCases loads all
	c.profile, c.fit = profile(name), true
	l.kvTokens = int(float64(l.profile.KVTokens()) * span{0.2, 1}.draw(rng))
	text := fmt.Sprintf("%d × %s", c.replicas, name)
	switch mix := rng.Float64(); {
	case c.replicas == 1:
	case mix < 0.1:
		second := drawnProfiles[rng.IntN(len(drawnProfiles))]
		p, _ := vllm.LoadProfile(second)
		c.second, l.second = profile(second), &p
		text = fmt.Sprintf("%d × %s and %s", c.replicas, name, second)
	case mix < 0.2:
		c.slower = []float64{span{1.3, 3}.draw(rng)}
		text += fmt.Sprintf(", one %.1f × slower", c.slower[0])
	}
	return text
}
