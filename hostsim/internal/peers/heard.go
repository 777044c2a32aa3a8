package peers

// heard is what KV events say of replicas' caches; nothing until there are some.
type heard struct {
	blockSize int // tokens
	caches    func(replica int, blocks []uint64) (held, inHost int)
}

const usualBlock = 16 // tokens: vLLM's

func (h *heard) hear(blockSize int, caches func(replica int, blocks []uint64) (held, inHost int)) {
	h.blockSize, h.caches = blockSize, caches
}

// held is how many leading blocks of a prompt a replica holds, and how many after these host memory has.
func (h *heard) held(replica int, blocks []uint64) (held, inHost int) {
	if h.caches == nil {
		return 0, 0
	}
	return h.caches(replica, blocks)
}

// size is the tokens of a block.
func (h *heard) size() int {
	if h.blockSize == 0 {
		return usualBlock
	}
	return h.blockSize
}
