package share

import (
	"encoding/binary"
	"math"
	"slices"

	"warmroute/plugin/pool"
	"warmroute/plugin/prefix"
)

// A worker's log is a ring of pages under fixed keys (page.go). What a request does at an endpoint is an entry, little-endian:
//
//	0   its number, from 1, 64 bits
//	8   generation of the endpoint list, 32 bits: what the endpoint's index means
//	12  pool.Visit: endpoint, 12 bits; First, 17 bits; one that is 0 here (remote.go); Step, 2 bits
//	16  At, nanoseconds, 64 bits
//	24  how long before Sent was, ms, 32 bits
//	28  the hashes of its blocks, 64 bits each; then the bytes of prompt in each, 16 bits each
const (
	entryHead     = 28
	entryBlock    = 10
	entryEndpoint = 1<<12 - 1
	entryFirst    = 1<<17 - 1
	firstShift    = 12
	stepShift     = 30
)

// action is an entry's second 32 bits.
func action(v *pool.Visit, endpoint int) uint32 {
	return uint32(endpoint&entryEndpoint) | uint32(v.First&entryFirst)<<firstShift | uint32(v.Step)<<stepShift
}

func actionOf(entry []byte) (v pool.Visit, endpoint int, relayed bool) {
	bits := binary.LittleEndian.Uint32(entry[12:])
	v = pool.Visit{Step: prefix.Step(bits >> stepShift), First: int(bits >> firstShift & entryFirst), At: happenedAt(entry)}
	v.Sent = v.At - int64(binary.LittleEndian.Uint32(entry[24:]))*1e6
	return v, int(bits & entryEndpoint), bits&entryRelayed != 0
}

// logEntries is the entries of a log that can be read: two for each request, one more where more of its prompt came later, and
// one more where its response may be continued (prefix.Stored). An entry of a
// prompt of 4, 64, 400 KB and 1 MB is .2, .6, 1.1 and 1.5 KB, and never more than 10 KB (prefix.MaxBlocks), so a worker's log takes about 2 MB, and at most 20 MB. Caches
// seldom hold more requests than those: a thousand of 13,000 tokens each (the mean of Mooncake's conversations) fill 8
// caches of 1.5 million tokens.
const logEntries = 2048

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
	if b.readable(entry, number) {
		v, endpoint, _ := actionOf(entry)
		readChain(entry, &b.chain)
		v.Chain = &b.chain
		if early := v.At - now; early > 0 {
			v.At, v.Sent = now, v.Sent-early
		}
		b.pool.RecordVisit(endpoint, &v, now)
	}
}

// readChain reads the blocks of an entry.
func readChain(entry []byte, c *prefix.Chain) {
	blocks := (len(entry) - entryHead) / entryBlock
	c.Reset()
	sizes, end := entry[entryHead+8*blocks:], uint32(0)
	for i := range blocks {
		c.Hash = append(c.Hash, binary.LittleEndian.Uint64(entry[entryHead+8*i:]))
		end += uint32(binary.LittleEndian.Uint16(sizes[2*i:]))
		c.End = append(c.End, end)
	}
}

// readable says whether an entry has that number and is about this worker's endpoint list.
func (b *Board) readable(entry []byte, number uint64) bool {
	return len(entry) >= entryHead && binary.LittleEndian.Uint64(entry) == number && (len(entry)-entryHead)%entryBlock == 0 &&
		Generation(binary.LittleEndian.Uint32(entry[8:])) == b.generation &&
		int(binary.LittleEndian.Uint32(entry[12:])&entryEndpoint) < len(b.pool.Endpoints)
}

// happenedAt is when an entry's step was, in nanoseconds.
func happenedAt(entry []byte) int64 { return int64(binary.LittleEndian.Uint64(entry[16:])) }

// RecordRouted publishes that a request is on its way to endpoint, and this worker's counts.
func (b *Board) RecordRouted(endpoint int, v pool.Visit, now int64) {
	b.Record(endpoint, v, now)
	b.Tell(now)
}

// RecordDecided is RecordRouted right after Sync, which has looked for a new peer.
func (b *Board) RecordDecided(endpoint int, v pool.Visit, now int64) {
	b.record(endpoint, &v)
	b.PublishKnown(now)
	b.wake(now)
}

// Record records a step of a request at endpoint. It is published with the worker's counts.
func (b *Board) Record(endpoint int, v pool.Visit, now int64) {
	if v.Chain != nil {
		b.resume(now)
		b.record(endpoint, &v)
	}
}

// RecordEnd records what the end of a request has done at its endpoint.
func (b *Board) RecordEnd(f *pool.Flight, now int64) {
	b.Record(f.Endpoint(), f.Lost(), now)
	if v := f.Entered(); v.Chain != nil && b.pool.TellsEnds(&v, now) {
		b.Record(f.Endpoint(), v, now)
	}
}

// record adds an entry to this worker's log, if it has blocks.
func (b *Board) record(endpoint int, v *pool.Visit) {
	if b.slot >= 0 && v.Chain != nil && v.Chain.Len() > 0 {
		b.toPage(action(v, endpoint), v)
	}
}

// appendEntry appends an entry with its number.
func (b *Board) appendEntry(entry []byte, number uint64, action uint32, v *pool.Visit) []byte {
	blocks, ends := v.Chain.Hash, v.Chain.End
	entry = binary.LittleEndian.AppendUint64(entry, number)
	entry = binary.LittleEndian.AppendUint32(entry, uint32(b.generation))
	entry = binary.LittleEndian.AppendUint32(entry, action)
	entry = binary.LittleEndian.AppendUint64(entry, uint64(v.At))
	entry = binary.LittleEndian.AppendUint32(entry, usedFor(v))
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

// usedFor is for how long a request had used a step's first blocks, in ms.
func usedFor(v *pool.Visit) uint32 {
	if v.First == 0 || v.Step == prefix.Lost {
		return 0
	}
	return uint32(min(max(v.At-v.Sent, 0)/1e6, math.MaxUint32))
}
