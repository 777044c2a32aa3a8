package pool

// tokens learns how many bytes of canonical prompt a token of each model has, from the usage in responses, and how many
// over all models. A prompt counts by its tokens: short ones are mostly the chat template's own tokens and say little, and
// those below leastPrompt say nothing. It keeps a fixed number of models; a new one replaces the one that was not seen for
// longest.
type tokens struct {
	models [maxModels]modelTokens
	all    ratio // of prompts without media, whose tokens fill the caches
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
	usualBytes = 4
	leastBytes = 0.25 // a medium stands for thousands of tokens in a few bytes
	mostBytes  = 64

	leastPrompt = 1024 // bytes: a template of 20 to 40 tokens is at most a sixth of such a prompt

	// Tokens over which a ratio is smoothed. For all models it is about what a cache holds, since it is used for the size of
	// caches: whoever moves it has filled one.
	modelMemory = 1 << 16
	allMemory   = 1 << 20
)

// exactTokens is the key of all prompts that are token ids: four bytes each.
const exactTokens = 1

func (t *tokens) bytesPerToken(key uint64) float64 {
	if m := t.find(key); m != nil && key != exactTokens {
		return m.mean
	}
	return usualBytes
}

// learn takes a prompt's bytes and its tokens as the replica counts them.
func (t *tokens) learn(key uint64, bytes, tokens int, media bool) {
	if key == exactTokens || bytes < leastPrompt && !media || tokens < 1 {
		return
	}
	m := t.find(key)
	if m == nil {
		m = t.take(key)
	}
	t.turn++
	m.turn, m.longest = t.turn, max(m.longest, bytes)
	m.add(bytes, tokens, modelMemory)
	if !media {
		t.all.add(bytes, tokens, allMemory)
	}
}

// add takes a prompt. A ratio out of bounds counts as the bound.
func (r *ratio) add(bytes, tokens int, memory float64) {
	weight := min(max(float64(tokens), float64(bytes)/mostBytes), float64(bytes)/leastBytes)
	r.weight = min(r.weight+weight, memory)
	r.mean += (float64(bytes)/weight - r.mean) * min(weight/r.weight, 1)
}

// overall is the bytes of a token over all models.
func (t *tokens) overall() float64 {
	if t.all.weight == 0 {
		return usualBytes
	}
	return t.all.mean
}

// TokensOf is the tokens of so many bytes of a body of which nothing else is known.
func (p *Pool) TokensOf(bytes int) float64 { return float64(bytes) / p.tokens.overall() }

func (t *tokens) find(key uint64) *modelTokens {
	for i := range t.models {
		if t.models[i].key == key {
			return &t.models[i]
		}
	}
	return nil
}

// take replaces the model that was not seen for longest.
func (t *tokens) take(key uint64) *modelTokens {
	oldest := &t.models[0]
	for i := range t.models {
		if t.turn-t.models[i].turn > t.turn-oldest.turn { // turns wrap around
			oldest = &t.models[i]
		}
	}
	*oldest = modelTokens{key: key}
	return oldest
}
