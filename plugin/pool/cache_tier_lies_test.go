package pool

import (
	"math/rand/v2"
	"slices"
	"testing"

	"warmroute/plugin/health"
)

// playTiers plays 800 prompts by chance, each where it is believed to be, on eight endpoints whose memory holds ten and whose caches hold room of
// them. page is what endpoint 0 says instead of the truth. It returns how many prompts seven others are believed to hold, and the part of
// prompts that was found.
func playTiers(room int, page func(truth part) (tokens float64, counted part)) (held int, found float64) {
	p, random := newPool(8), rand.New(rand.NewPCG(1, 1))
	caches, counts, hits := [8]simulated{}, [8]part{}, part{}
	for i := range caches {
		caches[i].room = room
	}
	for n := range 10_000 {
		f, k, e, now := new(Flight), random.IntN(800), random.IntN(8), int64(n+1)*second/4
		p.Prepare(f, numbered(k), nil, 0)
		if depth := p.Match(f); int(slices.Max(depth)) == f.Total {
			for int(depth[e]) != f.Total {
				e = random.IntN(8)
			}
		}
		p.Expect(f, e)
		p.Begin(f, e, now)
		had := caches[e].use(k)
		if counts[e].all += 1000; had {
			counts[e].some += 992
		}
		p.End(f, now, Outcome{Ending: health.Answered})
		if n >= 5000 {
			if hits.all++; had {
				hits.some++
			}
		}
		for i := range counts {
			if tokens, counted := 10_000., counts[i]; n%8 == 7 {
				if i == 0 {
					tokens, counted = page(counted)
				}
				p.ApplyMetrics(i, now, tiered(tokens, 0, counted))
			}
		}
	}
	for i := 1; i < 8; i++ {
		held += int(p.Index.Held(i)) / 4000
	}
	return held, hits.share()
}

// What one server's page says of hits moves what is believed of others' tiers by no more than its part of the traffic, and what it says of
// its memory not at all.
func TestOnePageSizesNoOthersTier(t *testing.T) {
	for _, room := range []int{10, 40} {
		want, found := playTiers(room, func(truth part) (float64, part) { return 10_000, truth })
		for _, c := range []struct {
			what string
			page func(truth part) (float64, part)
		}{
			{"nothing is found", func(truth part) (float64, part) { return 10_000, part{0, truth.all} }},
			{"all is found", func(truth part) (float64, part) { return 10_000, part{truth.all, truth.all} }},
			{"others' prompts are three times as many, and none is found", func(truth part) (float64, part) { return 10_000, part{truth.some, 4 * truth.all} }},
			{"a hundred times the memory", func(truth part) (float64, part) { return 1e6, truth }},
			{"a memory without end", func(truth part) (float64, part) { return 1e13, truth }},
			{"a memory of no token", func(truth part) (float64, part) { return 1e-300, truth }},
		} {
			held, part := playTiers(room, c.page)
			if held < want*3/4 || held > want*2 || part < found*0.9 {
				t.Errorf("room for %d, %s: the others hold %d, before %d; %.3f found, before %.3f", room, c.what, held, want, part, found)
			}
		}
	}
}
