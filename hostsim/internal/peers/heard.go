package peers

// holds tells how many leading blocks of a prompt a replica holds, and how many after these host memory has.
type holds func(replica int, blocks []uint64) (held, inHost int)

// heard is what KV events say of replicas' caches.
type heard struct {
	blockSize int // tokens
	held      holds
}

func (h *heard) hear(blockSize int, held holds) { h.blockSize, h.held = blockSize, held }
