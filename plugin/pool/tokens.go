package pool

import (
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
)

// tokens learns how many bytes of canonical prompt a token of each model has, from the usage in responses. It keeps a fixed
// number of models; a new one replaces the one that was not seen for longest.
type tokens struct {
	models [maxModels]modelTokens
	turn   uint32
}

type modelTokens struct {
	key   uint64
	ratio float64 // bytes per token
	seen  uint32  // responses, at most tokenMemory
	turn  uint32
}

const (
	maxModels = 16

	// Bytes per token before anything is learned: about that of English text with vocabularies of 2023 and later.
	usualBytes = 4
	leastBytes = 0.25 // a medium stands for thousands of tokens in a few bytes
	mostBytes  = 64

	tokenMemory = 50 // responses over which the ratio is smoothed
)

// exactTokens is the key of all prompts that are token ids: four bytes each.
const exactTokens = 1

func modelKey(p *prompt.Prompt) uint64 {
	if p.Tokens {
		return exactTokens
	}
	return prefix.Key(0, p.Model) | 2
}

func (t *tokens) bytesPerToken(key uint64) float64 {
	if m := t.find(key); m != nil && key != exactTokens {
		return m.ratio
	}
	return usualBytes
}

// learn takes a prompt's bytes and its tokens as the replica counts them.
func (t *tokens) learn(key uint64, bytes, tokens int) {
	if key == exactTokens || bytes < 1 || tokens < 1 {
		return
	}
	m := t.find(key)
	if m == nil {
		m = t.take(key)
	}
	t.turn++
	m.turn = t.turn
	m.seen = min(m.seen+1, tokenMemory)
	ratio := min(max(float64(bytes)/float64(tokens), leastBytes), mostBytes)
	m.ratio += (ratio - m.ratio) / float64(m.seen)
}

// latest is the ratio of the model of the last response.
func (t *tokens) latest() float64 {
	for i := range t.models {
		if m := &t.models[i]; t.turn > 0 && m.turn == t.turn {
			return m.ratio
		}
	}
	return usualBytes
}

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
		if t.models[i].turn < oldest.turn {
			oldest = &t.models[i]
		}
	}
	*oldest = modelTokens{key: key, ratio: usualBytes}
	return oldest
}
