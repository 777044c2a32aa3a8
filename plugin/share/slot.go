package share

import (
	"encoding/binary"
	"math/bits"

	"warmroute/plugin/load"
)

// A slot's value, little-endian:
//
//	0  the number of the next entry of its log, 64 bits
//	8  the requests in flight, load.AppendSlot
//	…  requests given lately, a rough number
//	…  for each endpoint, two rough numbers: prompt tokens queued, and given lately
//
// With 64 endpoints that is 414 bytes, with eight 78.
const headSize = 8

// body is what load knows of a value: the requests in flight.
func body(value []byte) []byte {
	if len(value) < headSize+4 {
		return nil
	}
	return value[headSize:min(headSize+load.SlotSize(endpointsOf(value)), len(value))]
}

// endpointsOf is the number of endpoints that a value of at least headSize + 4 bytes speaks of.
func endpointsOf(value []byte) int {
	return int(binary.LittleEndian.Uint16(value[headSize+2:])) // as load.AppendSlot has it
}

// nextOf is the number of the next entry of a slot's log.
func nextOf(value []byte) uint64 {
	if len(value) < headSize {
		return 1
	}
	return max(binary.LittleEndian.Uint64(value), 1)
}

// encode writes our slot.
func (b *Board) encode(now int64) []byte {
	r := b.pool
	b.counts = b.counts[:0]
	for i := range r.Endpoints {
		b.counts = append(b.counts, r.OwnInFlight(i))
	}
	b.buffer = binary.LittleEndian.AppendUint64(b.buffer[:0], b.next)
	b.buffer = load.AppendSlot(b.buffer, b.self, now, b.generation, b.counts)
	b.buffer = appendRough(b.buffer, r.OwnRequests(now))
	for i := range b.counts {
		queued, work := r.OwnTokens(i, now)
		b.buffer = appendRough(appendRough(b.buffer, queued), work)
	}
	return b.buffer
}

// hear tells the router what stands behind the body of a live slot of our endpoints.
func (b *Board) hear(value []byte) {
	n := endpointsOf(value)
	rest := value[headSize+load.SlotSize(n):]
	if len(rest) != 2+4*n {
		return
	}
	b.pool.AddPeerRequests(rough(rest))
	for i := range min(n, len(b.pool.Endpoints)) {
		b.pool.AddPeerTokens(i, rough(rest[2+4*i:]), rough(rest[4+4*i:]))
	}
}

// A rough number is one of at least 0 in 16 bits: 11 of mantissa, so that it is within 1 in 2,000, and 5 of exponent, up
// to 4 × 10¹². Whole numbers up to 2,047 are exact.
const mantissaBits = 11

func appendRough(dst []byte, x float64) []byte {
	const most = (1<<mantissaBits - 1) << 31
	if !(x > 0) {
		return append(dst, 0, 0)
	}
	n := uint64(min(x, most))
	exponent := max(bits.Len64(n)-mantissaBits, 0)
	return binary.LittleEndian.AppendUint16(dst, uint16(exponent)<<mantissaBits|uint16(n>>exponent))
}

func rough(from []byte) float64 {
	v := binary.LittleEndian.Uint16(from)
	return float64(uint64(v&(1<<mantissaBits-1)) << (v >> mantissaBits))
}
