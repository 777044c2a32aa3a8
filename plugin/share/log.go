package share

import (
	"encoding/binary"
	"slices"

	"warmroute/plugin/prefix"
)

// A worker's log is a ring of pages under fixed keys (page.go). An entry, little-endian:
//
//	0   its number, from 1, 64 bits
//	8   generation of the endpoint list, 32 bits: what the endpoint's index means
//	12  endpoint, 30 bits; one that is 0 here (remote.go); the highest bit retracts: the request was lost, so the endpoint does not hold the blocks
//	16  when it was routed, nanoseconds, 64 bits
//	24  the hashes of its blocks, 64 bits each; then, unless it retracts, the bytes of prompt in each, 16 bits each
const (
	entryHead     = 24
	entryRetract  = 1 << 31
	entryEndpoint = 1<<30 - 1 // what of an entry's 32 bits is the endpoint
)

// logEntries is the entries of a log that can be read. An entry of a prompt of 4, 64, 400 KB and 1 MB is .2, .6, 1.1 and
// 1.5 KB, and never more than 10 KB (prefix.MaxBlocks), so a worker's log takes about 1 MB, and at most 10 MB. Caches
// seldom hold more requests than these: a thousand of 13,000 tokens each (the mean of Mooncake's conversations) fill 8
// caches of 1.5 million tokens.
const logEntries = 1024

// oldest is the oldest entry that can still be read of a log, given the number of its next one.
func oldest(next uint64) uint64 { return next - min(next-1, logEntries) }

// readLog applies the new entries of a peer's log, up to its next one, as the slot's value that was read says.
func (b *Board) readLog(i int, now int64) {
	p := b.peer(i)
	next, last := nextOf(p.value), lastPageOf(p.value)
	if p.read == 0 || p.read > next || next-p.read > logEntries {
		p.read = oldest(next)
	}
	for p.read < next {
		page := last
		if p.read < pageOf(next) || len(last) == 0 {
			page, _, _ = b.store.Get(b.pageKey(i, p.read))
		}
		for end := min(next, (p.read/pageEntries+1)*pageEntries); p.read < end; p.read++ {
			b.apply(entryOf(page, p.read), p.read, now)
		}
	}
}

// apply enters an entry of the given number into the index. An entry of another number was overwritten since, and is
// ignored.
func (b *Board) apply(entry []byte, number uint64, now int64) {
	if !b.readable(entry, number) {
		return
	}
	endpoint := binary.LittleEndian.Uint32(entry[12:])
	retract, index := endpoint&entryRetract != 0, int(endpoint&entryEndpoint)
	readChain(entry, retract, &b.chain)
	at := min(routedAt(entry), now)
	if retract {
		b.pool.RetractPrompt(index, b.chain.Hash, at)
	} else {
		b.pool.RecordPrompt(index, &b.chain, at)
	}
}

// readChain reads the blocks of an entry; one that retracts has no sizes.
func readChain(entry []byte, retract bool, c *prefix.Chain) {
	blocks := (len(entry) - entryHead) / blockLength(retract)
	c.Reset()
	sizes, end := entry[entryHead+8*blocks:], uint32(0)
	for i := range blocks {
		c.Hash = append(c.Hash, binary.LittleEndian.Uint64(entry[entryHead+8*i:]))
		if !retract {
			end += uint32(binary.LittleEndian.Uint16(sizes[2*i:]))
			c.End = append(c.End, end)
		}
	}
}

// blockLength is the bytes that an entry has for each block.
func blockLength(retract bool) int {
	if retract {
		return 8
	}
	return 10
}

// readable says whether an entry has that number and is about this worker's endpoint list.
func (b *Board) readable(entry []byte, number uint64) bool {
	return len(entry) >= entryHead && binary.LittleEndian.Uint64(entry) == number &&
		(len(entry)-entryHead)%blockLength(binary.LittleEndian.Uint32(entry[12:])&entryRetract != 0) == 0 &&
		Generation(binary.LittleEndian.Uint32(entry[8:])) == b.generation &&
		int(binary.LittleEndian.Uint32(entry[12:])&entryEndpoint) < len(b.pool.Endpoints)
}

// routedAt is when an entry's request was routed, in nanoseconds.
func routedAt(entry []byte) int64 { return int64(binary.LittleEndian.Uint64(entry[16:])) }

// RecordRouted publishes that a request was routed to endpoint, whose cache will hold the chain, and this worker's
// counts.
func (b *Board) RecordRouted(endpoint int, chain *prefix.Chain, now int64) {
	b.resume(now)
	b.record(uint32(endpoint), chain.Hash, chain.End, now)
	b.Tell(now)
}

// RecordDecided is RecordRouted right after Sync, which has looked for a new peer.
func (b *Board) RecordDecided(endpoint int, chain *prefix.Chain, now int64) {
	b.record(uint32(endpoint), chain.Hash, chain.End, now)
	b.PublishKnown(now)
	b.wake(now)
}

// RecordRetracted publishes that a request which was routed to endpoint at that time was lost: the endpoint does not
// hold the chain's last blocks, which were new there.
func (b *Board) RecordRetracted(endpoint int, blocks []uint64, at, now int64) {
	b.resume(now)
	b.record(uint32(endpoint)|entryRetract, blocks, nil, at)
}

// record adds an entry to this worker's log, if it has blocks.
func (b *Board) record(endpoint uint32, blocks []uint64, ends []uint32, at int64) {
	if b.slot >= 0 && len(blocks) > 0 {
		b.toPage(endpoint, blocks, ends, at)
	}
}

// appendEntry appends an entry with its number.
func (b *Board) appendEntry(entry []byte, number uint64, endpoint uint32, blocks []uint64, ends []uint32, at int64) []byte {
	entry = binary.LittleEndian.AppendUint64(entry, number)
	entry = binary.LittleEndian.AppendUint32(entry, uint32(b.generation))
	entry = binary.LittleEndian.AppendUint32(entry, endpoint)
	entry = binary.LittleEndian.AppendUint64(entry, uint64(at))
	body := len(entry)
	entry = slices.Grow(entry, 8*len(blocks)+2*len(ends))[:body+8*len(blocks)+2*len(ends)]
	for _, hash := range blocks {
		binary.LittleEndian.PutUint64(entry[body:], hash)
		body += 8
	}
	start := uint32(0)
	for _, end := range ends {
		binary.LittleEndian.PutUint16(entry[body:], uint16(end-start))
		body += 2
		start = end
	}
	return entry
}
