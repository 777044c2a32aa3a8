// Package traffic learns what the requests of one pool are like, from what becomes of them.
//
//	tokens     how many bytes a token has, by model, and how long prompts may be
//	demand     which beginnings prompts share, and how often they come
//	returning  how much of prompts comes back, and is still held
//	residence  how long requests hold memory
//	habits     the last two, as workers and gateways tell each other
//	lost       the time that endpoints spend on computing again what their caches have lost
//	thrash     the tokens that conversations lose at an endpoint that has too many of them
//
// Time is an argument, in nanoseconds of one clock that may be set back.
package traffic

// Tokens learns how many bytes of canonical prompt a token of each model has, from the usage in responses, and how many
// over all models. A prompt counts by its tokens: short ones are mostly the chat template's own tokens and say little, and
// those below leastPrompt say nothing. It keeps a fixed number of models; a new one replaces the one that was not seen for
// longest.
type Tokens struct {
	models [maxModels]modelTokens
	all    ratio // of all prompts, whose tokens fill the caches
	turn   uint32
}

type modelTokens struct {
	key  uint64
	turn uint32
	ratio
	longest int // bytes of prompt that a response has come to
	refused int // the shortest beyond those that was refused; 0: none
}

// ratio is bytes per token, as a mean over the latest tokens.
type ratio struct {
	mean   float64
	weight float64 // tokens, at most the memory; 0: nothing is learned
}

const (
	maxModels = 16

	// Bytes per token before anything is learned: about that of English text with vocabularies of 2023 and later.
	UsualBytes = 4
	leastBytes = 0.25 // a medium may stand for thousands of tokens in the bytes of 256 (prompt.MediumTokens)
	mostBytes  = 64

	leastPrompt = 1024 // bytes: a template of 20 to 40 tokens is at most a sixth of such a prompt

	// Tokens over which a ratio is smoothed. For all models it is about what a cache holds, since it is used for the size of
	// caches: whoever moves it has filled one.
	modelMemory = 1 << 16
	allMemory   = 1 << 20
)

// Exact is the key of all prompts that are token ids: four bytes each.
const Exact = 1

// PerToken is the bytes of a token of the prompts of a key.
func (t *Tokens) PerToken(key uint64) float64 {
	if m := t.find(key); m != nil && key != Exact {
		return m.mean
	}
	return UsualBytes
}

// Knows says whether a response has told of the tokens of such prompts.
func (t *Tokens) Knows(key uint64) bool { return key == Exact || t.find(key) != nil }

// Learn takes a prompt's bytes and its tokens as the replica counts them.
func (t *Tokens) Learn(key uint64, bytes, tokens int, media bool) {
	if key == Exact || bytes < leastPrompt && !media || tokens < 1 {
		return
	}
	m := t.find(key)
	if m == nil {
		m = t.take(key)
	}
	t.turn++
	m.turn, m.longest = t.turn, max(m.longest, bytes)
	m.add(bytes, tokens, modelMemory)
	t.all.add(bytes, tokens, allMemory)
}

// add takes a prompt. A ratio out of bounds counts as the bound.
func (r *ratio) add(bytes, tokens int, memory float64) {
	weight := min(max(float64(tokens), float64(bytes)/mostBytes), float64(bytes)/leastBytes)
	r.weight = min(r.weight+weight, memory)
	r.mean += (float64(bytes)/weight - r.mean) * min(weight/r.weight, 1)
}

// Overall is the bytes of a token over all models.
func (t *Tokens) Overall() float64 {
	if t.all.weight == 0 {
		return UsualBytes
	}
	return t.all.mean
}

// Refuse takes a prompt that was refused, which says something of its length if none as long was computed before.
func (t *Tokens) Refuse(key uint64, bytes int) {
	if m := t.find(key); m != nil && bytes > m.longest && (m.refused <= m.longest || bytes < m.refused) {
		m.refused = bytes
	}
}

// Computes takes a prompt that was computed, whether or not its response says of how many tokens it is: most streams do not.
func (t *Tokens) Computes(key uint64, bytes int) {
	if m := t.find(key); m != nil {
		m.longest = max(m.longest, bytes)
	}
}

// Limits is the bytes of the longest prompt of a key that was computed, and of the shortest beyond it that was refused; 0: none.
func (t *Tokens) Limits(key uint64) (longest, refused int) {
	m := t.find(key)
	switch {
	case m == nil:
		return 0, 0
	case m.refused > m.longest:
		return m.longest, m.refused
	}
	return m.longest, 0
}

func (t *Tokens) find(key uint64) *modelTokens {
	for i := range t.models {
		if t.models[i].key == key {
			return &t.models[i]
		}
	}
	return nil
}

// take replaces the model that was not seen for longest.
func (t *Tokens) take(key uint64) *modelTokens {
	oldest := &t.models[0]
	for i := range t.models {
		if t.turn-t.models[i].turn > t.turn-oldest.turn { // turns wrap around
			oldest = &t.models[i]
		}
	}
	*oldest = modelTokens{key: key}
	return oldest
}
