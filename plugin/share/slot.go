package share

import (
	"encoding/binary"
	"slices"

	"warmroute/plugin/bytestr"
)

// A slot's value, little-endian:
//
//	0  the number of the next entry of the worker's log, 64 bits
//	8  the requests in flight, appendInFlight
//	…  requests given lately, a float16
//	…  for each endpoint, putLine and a float16: prompt tokens given lately
//	…  what waits at the gateway, appendHolds
//	…  the log's last page, as far as it goes, if that is not long (page.go)
//
// With 64 endpoints that is 1,055 bytes, with eight 159, without the page.
const (
	headSize = 8
	slotEach = lineSize + 2

	// mostNext is more entries than any log has had. A number beyond it is a broken value's, and none may be so large that what is counted on
	// from it does not fit 64 bits.
	mostNext = 1 << 62
)

// inFlightOf is the part of a slot's value that has the requests in flight; nil if there is none.
func inFlightOf(value []byte) []byte {
	if len(value) < headSize+4 {
		return nil
	}
	return value[headSize:min(headSize+inFlightSize(endpointsOf(value)), len(value))]
}

// endpointsOf is the number of endpoints in a value of at least headSize + 4 bytes.
func endpointsOf(value []byte) int {
	return int(binary.LittleEndian.Uint16(value[headSize+2:])) // where appendInFlight writes it
}

// nextOf is the number of the next entry of the log of a slot's owner.
func nextOf(value []byte) uint64 {
	if len(value) < headSize {
		return 1
	}
	if next := binary.LittleEndian.Uint64(value); next < mostNext {
		return max(next, 1)
	}
	return 1
}

// encodeSlot is the value of this worker's slot.
func (b *Board) encodeSlot(now int64) []byte {
	r := b.pool
	b.counts = b.counts[:0]
	for i := range r.Endpoints {
		b.counts = append(b.counts, r.OwnInFlight(i))
	}
	b.buffer = binary.LittleEndian.AppendUint64(b.buffer[:0], b.next)
	b.buffer = appendInFlight(b.buffer, b.id, now, b.generation, b.counts)
	at := len(b.buffer)
	b.buffer = slices.Grow(b.buffer, 2+slotEach*len(b.counts))[:at+2+slotEach*len(b.counts)]
	sum, rest := 0.0, b.buffer[at:]
	for i := range r.Look(now) {
		requests, work, line := r.Own(i)
		sum += requests
		putLine(rest[2+slotEach*i:], &line, now)
		bytestr.PutFloat16(rest[2+slotEach*i+lineSize:], work)
	}
	bytestr.PutFloat16(rest, sum)
	b.buffer = appendHolds(b.buffer, r.AtGateways.Own())
	if b.inSlot() {
		b.buffer = append(b.buffer, b.page...)
	}
	return b.buffer
}

// tokensOf is the part of a slot's value of at least headSize + 4 bytes that has tokens and lines, of n endpoints; what waits, as addHolds
// reads it; and the log's last page behind it. All are nil where it is too short.
func tokensOf(value []byte) (tokens, holds, page []byte) {
	n := endpointsOf(value)
	from := headSize + inFlightSize(n)
	to := from + 2 + slotEach*n
	if len(value) < to {
		return nil, nil, nil
	}
	if holds, page = cutHolds(value[to:]); page == nil {
		return nil, nil, nil
	}
	return value[from:to], holds, page
}

// lastPageOf is the last page of the log of a slot's owner, if its value has it.
func lastPageOf(value []byte) (page []byte) {
	if len(value) >= headSize+4 {
		_, _, page = tokensOf(value)
	}
	return page
}

// addTokens adds the requests and tokens of a live peer's slot, of the same generation.
func (t *total) addTokens(value []byte) {
	rest, holds, _ := tokensOf(value)
	if rest == nil {
		return
	}
	t.holds = addHolds(t.holds, holds)
	t.requests += bytestr.Float16(rest)
	for i := range min(endpointsOf(value), len(t.counts)) {
		each := rest[2+slotEach*i:]
		t.lines[i] = t.lines[i].With(getLine(each, t.now))
		t.work[i] += bytestr.Float16(each[lineSize:])
	}
}
