package cases

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/vllm"
)

// Drawn are n cases that nobody chose: each is drawn by the seed and its own number, so that it is the same however many are drawn.
func Drawn(n int, seed uint64) []Case {
	return drawn(n, seed, "drawn", func(int) deck { return deck{card: card} })
}

// drawn are n cases of such a name, with replicas from a deck of each case's own.
func drawn(n int, seed uint64, name string, from func(i int) deck) []Case {
	cases := make([]Case, n)
	for i := range cases {
		cases[i] = from(i).draw(rand.New(rand.NewPCG(seed, 100+uint64(i))))
		cases[i].Drawn, cases[i].ID = true, fmt.Sprintf("%s-%d-%d", name, seed, i+1)
	}
	return cases
}

// DrawnTiered are the cases of Drawn with replicas that keep KV in host memory: half to eight times as much as in their own. Half of them
// do not tell cached tokens.
func DrawnTiered(n int, seed uint64) []Case {
	return varied(n, seed, "host", 19_000, func(c *Case, rng *rand.Rand) {
		c.HostKV, c.Untold = span{0.5, 8}.draw(rng), rng.Float64() < 0.5
		c.What += fmt.Sprintf("; %.1f × as much KV in host memory", c.HostKV)
		if c.Untold {
			c.What += "; cached tokens are not told"
		}
	})
}

// DrawnHangUps are the cases of Drawn with clients that do not wait for the end of their answers: a twentieth to three fifths of the requests, after
// 100 ms to 10 s on average.
func DrawnHangUps(n int, seed uint64) []Case {
	return varied(n, seed, "hangup", 47_000, func(c *Case, rng *rand.Rand) {
		c.HangUps = replay.HangUps{Share: span{0.05, 0.6}.draw(rng), After: time.Duration(span{0.1, 10}.draw(rng) * 1e9).Round(time.Millisecond)}
		c.What += fmt.Sprintf("; %.0f %% hang up after %v", 100*c.HangUps.Share, c.HangUps.After)
	})
}

// varied are the cases of Drawn under such a name, each varied by numbers of its own from that stream on.
func varied(n int, seed uint64, name string, stream uint64, vary func(c *Case, rng *rand.Rand)) []Case {
	cases := Drawn(n, seed)
	for i := range cases {
		cases[i].ID = fmt.Sprintf("%s-%d-%d", name, seed, i+1)
		vary(&cases[i], rand.New(rand.NewPCG(seed, stream+uint64(i))))
	}
	return cases
}

// recordings are what cuts are taken from: so many requests (coding: sessions) of so many.
var recordings = []struct {
	file     string
	cut, all int
}{{loads.ConversationFile, 2000, 7851}, {loads.SyntheticFile, 2000, 3993}, {loads.CodingFile, 12, 458}}

// span is what a number is drawn from: even in its logarithm.
type span struct{ least, most float64 }

func (s span) draw(rng *rand.Rand) float64 { return s.least * math.Pow(s.most/s.least, rng.Float64()) }

// oneOf draws one of several, each as likely.
func oneOf[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

func drawCase(rng *rand.Rand) Case {
	return deck{card: card}.draw(rng)
}

// deck is what the replicas of a case are drawn from.
type deck struct {
	card   func(name string) (vllm.Profile, string) // of that name, and what the case says of it
	unlike *rand.Rand                               // each pool is of two kinds of cards, which are drawn by it; nil: a tenth is, and with one's memory
	talk   func(l *drawnLoad)                       // makes the families another kind of talk, whose turns wait for answers; nil: prompts are texts, answers are short
}

// card is the profile of that name, which is built in (TestDrawnCases), and what the case says of it.
func card(name string) (vllm.Profile, string) {
	p, _ := vllm.LoadProfile(name)
	return p, name
}

// draw draws a case with such replicas.
func (d deck) draw(rng *rand.Rand) Case {
	c := Case{
		Replicas: oneOf(rng, 1, 2, 2, 3, 3, 4, 4, 4, 5, 6, 6, 8, 8, 8, 10, 12, 16, 16, 24, 32), Workers: 1 + rng.IntN(4), Gateways: oneOf(rng, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4),
		Named: rng.Float64() < 0.25,
	}
	l := &drawnLoad{load: 0.2 + rng.Float64(), bursts: oneOf(rng, 1, 1, 1.5, 2, 4)}
	fleetText := d.fleet(rng, &c, l)
	cut := rng.Float64() < 0.2
	if cut && d.talk == nil {
		r := recordings[rng.IntN(len(recordings))]
		l.file, l.skip, l.limit = r.file, rng.IntN(r.all-r.cut), r.cut
		c.Published = true
		l.holdRecorded(int(span{200_000, 2_000_000}.draw(rng)))
	} else {
		l.drawFamilies(rng)
		if c.Closed = rng.Float64() < 0.4; c.Closed && rng.Float64() < 0.4 {
			l.clients = int(span{4, 80}.draw(rng)) * c.Replicas
			c.Clients, c.Rate = l.clients, true
		}
	}
	if d.talk != nil {
		d.talk(l)
		c.Closed = true // a next turn before the end of such an answer would be no conversation
	}
	c.KVTokens, c.SecondKV, c.Load, l.replicas, l.slower = l.kvTokens, l.secondKV, l.trace, c.Replicas, c.Slower
	text := []string{fmt.Sprintf("%s, %d KV tokens", fleetText, c.KVTokens), l.String()}
	if c.SecondKV != c.KVTokens {
		text[0] = fmt.Sprintf("%s, %d and %d KV tokens", fleetText, c.KVTokens, c.SecondKV)
	}
	for at, word := range []string{"workers", "gateways"} {
		if n := []int{c.Workers, c.Gateways}[at]; n > 1 {
			text = append(text, fmt.Sprintf("%d %s", n, word))
		}
	}
	if c.Closed && c.Clients == 0 {
		text = append(text, "turns wait for answers")
	}
	if c.Named {
		text = append(text, "named")
	}
	c.What = strings.Join(text, "; ")
	return c
}

// drawnProfiles are what replicas are drawn from, by place: a name more, or another order, would change all cases. docs/league-drawn.md
// has figures of them.
var drawnProfiles = []string{
	"a100-llama8b", "a100x2-qwen32b", "a100x4-llama70b", "b200-llama70b", "b200-llama8b", "b200-qwen32b", "h100-8b",
	"h100-llama8b", "h100x2-70b", "h100x2-qwen32b", "h100x4-llama70b", "h200-llama8b", "h200-qwen32b", "h200x2-llama70b",
	"l4-8b-fp8", "l40s-llama8b", "l40sx2-qwen32b", "l40sx4-llama70b", "l4x2-llama8b", "l4x4-qwen32b", "l4x8-llama70b",
	"mi300x-llama70b", "mi300x-llama8b", "mi300x-qwen32b", "rtx4090-8b", "rtx4090-llama8b", "rtx4090x4-qwen32b", "rtx4090x8-llama70b",
	"rtxpro6000-llama8b", "rtxpro6000-qwen32b", "rtxpro6000x2-llama70b",
}

// fleet draws the replicas and their memory.
func (d deck) fleet(rng *rand.Rand, c *Case, l *drawnLoad) string {
	name := drawnProfiles[rng.IntN(len(drawnProfiles))]
	if rng.Float64() < 0.25 {
		name = "h100-8b"
	}
	p, what := d.card(name)
	l.profile, c.Profile, c.Fit = p, as(p), true
	memory := span{0.2, 1}.draw(rng)
	l.kvTokens = int(float64(p.KVTokens()) * memory)
	l.secondKV = l.kvTokens
	text := fmt.Sprintf("%d × %s", c.Replicas, what)
	switch mix := rng.Float64(); {
	case c.Replicas == 1:
	case mix < 0.1:
		second, of := d.card(drawnProfiles[rng.IntN(len(drawnProfiles))])
		c.Second, l.second = as(second), &second
		text += " and " + of
	case mix < 0.2:
		c.Slower = []float64{span{1.3, 3}.draw(rng)}
		text += fmt.Sprintf(", one %.1f × slower", c.Slower[0])
	}
	if d.unlike != nil {
		text = d.twoKinds(c, l, name, memory)
	}
	return text
}

// as gives a profile where one is asked for.
func as(p vllm.Profile) func() (vllm.Profile, error) {
	return func() (vllm.Profile, error) { return p, nil }
}
