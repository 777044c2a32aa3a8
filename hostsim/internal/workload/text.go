package workload

import (
	"math/rand/v2"
	"strings"
)

// words is the whole vocabulary of generated prompts.
var words = strings.Fields(`the a this every no our some each one ship boat crane pier tide light bell rope
crate ticket ledger captain clerk sailor pilot storm cargo harbour channel island bridge market letter window
engine signal morning evening winter summer north south river paper metal copper timber carries holds keeps
counts opens closes follows answers repairs measures returns watches before after under over near between
slowly gently always seldom often again together quiet heavy narrow green old early late and then while`)

// text makes sentences that begin with lead and are exactly tokens × BytesPerToken bytes of ASCII long,
// without space at their ends.
func text(rng *rand.Rand, lead string, tokens int) string {
	size := tokens * BytesPerToken
	var b strings.Builder
	b.Grow(size + 64)
	b.WriteString(lead)
	for b.Len() < size {
		for i := range 6 + rng.IntN(7) {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(words[rng.IntN(len(words))])
		}
		b.WriteString(". ")
	}
	out := []byte(b.String()[:size])
	if out[size-1] == ' ' {
		out[size-1] = '.'
	}
	return string(out)
}
