package share

import (
	"encoding/binary"

	"warmroute/plugin/load"
	"warmroute/plugin/prefix"
)

// A worker's log is a ring of values under fixed keys. An entry, little-endian:
//
//	0   its number, from 1, 64 bits
//	8   generation of the endpoint list, 32 bits: what the endpoint means
//	12  endpoint, 31 bits; the highest: nothing came of the request, so it does not hold the blocks
//	16  when it was routed, nanoseconds, 64 bits
//	24  the hashes of its blocks, 64 bits each; then, where it holds them, the bytes of prompt in each, 16 bits each
const (
	entryHead = 24
	entryLost = 1 << 31
)

// ring is the entries of a log that can be read. An entry of a prompt of 4, 64, 400 KB and 1 MB is .2, .6, 1.1 and 1.5 KB, and
// never more than 10 KB (prefix.MaxBlocks), so a worker's log takes 1 MB or so, and 10 MB at most. What a cache still holds is
// seldom in more entries: a thousand requests of 13,000 tokens each (the mean of Mooncake's conversations) fill 8 caches of
// 1.5 million tokens.
const ring = 1024

const keyDigits = 3 // hexadecimal, of a place in the ring

// logKey is the key of the place of entry n in slot i's log.
func (b *Board) logKey(i int, n uint64) string {
	p := &b.peers[i]
	size := len(p.slotKey) + 1 + keyDigits
	if p.logKeys == "" {
		const digits = "0123456789abcdef"
		keys := make([]byte, 0, ring*size)
		for k := range ring {
			keys = append(keys, p.slotKey...)
			keys = append(keys, '.', digits[k>>8&15], digits[k>>4&15], digits[k&15])
		}
		p.logKeys = string(keys)
	}
	at := int(n%ring) * size
	return p.logKeys[at : at+size]
}

// first is the oldest entry that can still be read of a log whose next is given.
func first(next uint64) uint64 { return next - min(next-1, ring) }

// follow reads a peer's log up to its next entry.
func (b *Board) follow(i int, next uint64, now int64) {
	p := &b.peers[i]
	if p.read == 0 || p.read > next || next-p.read > ring {
		p.read = first(next)
	}
	for ; p.read < next; p.read++ {
		if value, _, ok := b.store.Get(b.logKey(i, p.read)); ok {
			b.learn(value, p.read, now)
		}
	}
}

// learn enters an entry into the index, unless it is another than was announced: it has been overwritten since.
func (b *Board) learn(entry []byte, number uint64, now int64) {
	if !b.readable(entry, number) {
		return
	}
	endpoint := binary.LittleEndian.Uint32(entry[12:])
	lost := endpoint&entryLost != 0
	blocks := (len(entry) - entryHead) / blockLength(lost)
	b.chain.Reset()
	sizes, end := entry[entryHead+8*blocks:], uint32(0)
	for i := range blocks {
		b.chain.Hash = append(b.chain.Hash, binary.LittleEndian.Uint64(entry[entryHead+8*i:]))
		if !lost {
			end += uint32(binary.LittleEndian.Uint16(sizes[2*i:]))
			b.chain.End = append(b.chain.End, end)
		}
	}
	at := min(routedAt(entry), now)
	if lost {
		b.router.Unhold(int(endpoint&^entryLost), b.chain.Hash, at)
	} else {
		b.router.Hold(int(endpoint), &b.chain, at)
	}
}

// blockLength is what an entry has for each block, in bytes.
func blockLength(lost bool) int {
	if lost {
		return 8
	}
	return 10
}

// readable says whether an entry is the one of that number and speaks of our endpoints.
func (b *Board) readable(entry []byte, number uint64) bool {
	return len(entry) >= entryHead && binary.LittleEndian.Uint64(entry) == number &&
		(len(entry)-entryHead)%blockLength(binary.LittleEndian.Uint32(entry[12:])&entryLost != 0) == 0 &&
		load.Generation(binary.LittleEndian.Uint32(entry[8:])) == b.generation &&
		int(binary.LittleEndian.Uint32(entry[12:])&^entryLost) < len(b.router.Endpoints)
}

func routedAt(entry []byte) int64 { return int64(binary.LittleEndian.Uint64(entry[16:])) }

// Routed tells the peers that a request went to endpoint, whose cache then holds the chain; and our counts with it.
func (b *Board) Routed(endpoint int, chain *prefix.Chain, now int64) {
	b.write(uint32(endpoint), chain.Hash, chain.End, now)
	b.Counted(now)
}

// Lost tells the peers that nothing came of a request that went to endpoint at that time, whose last blocks were new there.
func (b *Board) Lost(endpoint int, blocks []uint64, at int64) {
	b.write(uint32(endpoint)|entryLost, blocks, nil, at)
}

// write adds an entry to our log, if it says anything.
func (b *Board) write(endpoint uint32, blocks []uint64, ends []uint32, at int64) {
	if b.slot < 0 || len(blocks) == 0 {
		return
	}
	entry := binary.LittleEndian.AppendUint64(b.buffer[:0], b.next)
	entry = binary.LittleEndian.AppendUint32(entry, uint32(b.generation))
	entry = binary.LittleEndian.AppendUint32(entry, endpoint)
	entry = binary.LittleEndian.AppendUint64(entry, uint64(at))
	for _, hash := range blocks {
		entry = binary.LittleEndian.AppendUint64(entry, hash)
	}
	start := uint32(0)
	for _, end := range ends {
		entry = binary.LittleEndian.AppendUint16(entry, uint16(end-start))
		start = end
	}
	b.buffer = entry
	b.store.Set(b.logKey(b.slot, b.next), entry, 0)
	b.next++
}
