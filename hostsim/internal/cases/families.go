package cases

import (
	"fmt"
	"math/rand/v2"
)

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
