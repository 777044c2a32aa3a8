package exposition

import "warmroute/plugin/bytestr"

// labels is what the labels of one line say.
type labels struct {
	hashes bool   // hash is needed
	hash   uint64 // of all but the ranks
	ranked bool   // the series has a rank: other ranks may repeat it
	part   bool   // the series counts one priority only; the one with an empty priority counts all

	blockTokens, blocks, tokens []byte // of the cache
	aligned                     []byte // tokens that hits are multiples of
	engine                      []byte // nil: it names none
	offloaded                   []byte // blocks of it in the host's memory; not nil: the label is there
	tier                        []byte // tokens of a tier behind it
	external, stored            bool   // tokens that were found beyond the engine's own memory, and beyond the host's
	running, waiting, slots     []byte // adapters, and how many are loaded at most
}

// add takes note of one label. The values that are read need no unescaping.
func (l *labels) add(name, value []byte) {
	switch {
	case bytestr.Equal(name, "tp_rank"), bytestr.Equal(name, "pp_rank"), bytestr.Equal(name, "moe_ep_rank"):
		l.ranked = true
		return
	case bytestr.Equal(name, "priority"):
		l.part = len(value) > 0
	case bytestr.Equal(name, "engine"), bytestr.Equal(name, "dp_rank"):
		l.engine = value
	case bytestr.Equal(name, "block_size"), bytestr.Equal(name, "page_size"):
		l.blockTokens = value
	case bytestr.Equal(name, "num_gpu_blocks"), bytestr.Equal(name, "num_pages"):
		l.blocks = value
	case bytestr.Equal(name, "kv_cache_size_tokens"):
		l.tokens = value
	case bytestr.Equal(name, "cache_hit_alignment_tokens"): // of hybrid models, from vLLM 0.32 on
		l.aligned = value
	case bytestr.Equal(name, "simple_cpu_offload_num_blocks"):
		l.offloaded = value
	case bytestr.Equal(name, "cpu_kv_cache_size_tokens"):
		l.tier = value
	case bytestr.Equal(name, "cache_source"): // SGLang: device, host, storage (0.5.23) or storage_ and a name, or total
		l.stored = bytestr.HasPrefix(value, "storage")
		l.external = l.stored || bytestr.Equal(value, "host")
	case bytestr.Equal(name, "running_lora_adapters"):
		l.running = value
	case bytestr.Equal(name, "waiting_lora_adapters"):
		l.waiting = value
	case bytestr.Equal(name, "max_lora"):
		l.slots = value
	}
	if l.hashes {
		l.hash = bytestr.Hash(bytestr.Hash(l.hash, name), value)
	}
}
