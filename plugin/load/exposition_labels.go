package load

// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv).
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

func fnv(h uint64, b []byte) uint64 {
	for _, c := range b {
		h = (h ^ uint64(c)) * fnvPrime
	}
	return (h ^ 0xff) * fnvPrime // in no UTF-8 text: keeps ab+c and a+bc apart
}

// found is what the labels of one line say.
type found struct {
	hash       uint64 // of all but the ranks
	ranked     bool   // it has a rank: other ranks may say the same
	part       bool   // it is one priority's part; the line with an empty priority has them all
	allSources bool   // it is the sum over the sources of cached tokens
	awake      bool

	block, blocks, tokens             []byte // of the cache
	maxLoRA, runningLoRA, waitingLoRA []byte
}

// label takes note of one label. Values of the servers' own making need no unescaping; names of adapters get it later.
func (f *found) label(name, value []byte) {
	switch {
	case same(name, "tp_rank"), same(name, "pp_rank"), same(name, "moe_ep_rank"):
		f.ranked = true
		return
	case same(name, "priority"):
		f.part = len(value) > 0
	case same(name, "cache_source"):
		f.allSources = same(value, "total")
	case same(name, "sleep_state"):
		f.awake = same(value, "awake")
	case same(name, "block_size"), same(name, "page_size"):
		f.block = value
	case same(name, "num_gpu_blocks"), same(name, "num_pages"):
		f.blocks = value
	case same(name, "kv_cache_size_tokens"):
		f.tokens = value
	case same(name, "max_lora"):
		f.maxLoRA = value
	case same(name, "running_lora_adapters"):
		f.runningLoRA = value
	case same(name, "waiting_lora_adapters"):
		f.waitingLoRA = value
	}
	f.hash = fnv(fnv(f.hash, name), value)
}
