package pool

import (
	"warmroute/plugin/bytestr"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prompt"
	"warmroute/plugin/traffic"
)

// names keeps the hashes of the model that came last: the next request's is likely the same.
type names struct {
	known bool
	model []byte
	hash  uint64 // prefix.Key
	alone uint64 // prefix.Seed of the model alone
}

func (n *names) look(model []byte) {
	if n.known && bytestr.Equal(model, bytestr.View(n.model)) {
		return
	}
	n.known, n.model = true, append(n.model[:0], model...)
	n.hash, n.alone = prefix.Key(0, model), prefix.Seed(model, nil, nil, nil)
}

// seed is prefix.Seed of a prompt.
func (n *names) seed(of *prompt.Prompt, tenant []byte) uint64 {
	if len(of.Adapter)+len(of.Salt)+len(tenant) > 0 {
		return prefix.Seed(of.Model, of.Adapter, of.Salt, tenant)
	}
	n.look(of.Model)
	return n.alone
}

// key is the same for all prompts of one model, apart for those with media.
func (n *names) key(of *prompt.Prompt) uint64 {
	if of.Tokens {
		return traffic.Exact
	}
	n.look(of.Model)
	key := n.hash | 2
	if of.Media {
		key ^= 4
	}
	return key
}
