package share

import (
	"encoding/binary"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/pool"
	"warmroute/plugin/queue"
)

// A line takes 12 bytes, little-endian: streams that wait, 16 bits; their tokens, a float16; when the first of them came and when
// one left last, 32 bits each, in units of 2^16 ns of the proxy's clock: times of the last 39 hours.
const (
	lineSize = 12
	timeUnit = 16 // bits

	// longAgo is the age, in nanoseconds, that all older times are written with, that of what never was too: half an hour later they
	// could not be told from times to come.
	longAgo = int64(38.5 * 3600e9)
)

// putLine writes a line as of now.
func putLine(to []byte, l *queue.Line, now int64) {
	binary.LittleEndian.PutUint16(to, uint16(min(l.Waiting, 1<<16-1)))
	bytestr.PutFloat16(to[2:], l.Queued)
	binary.LittleEndian.PutUint32(to[4:], uint32(max(l.Begun, now-longAgo)>>timeUnit))
	binary.LittleEndian.PutUint32(to[8:], uint32(max(l.Ended, now-longAgo)>>timeUnit))
}

// getLine reads what putLine wrote half an hour before now or later. The first may begin when its body has come (pool.UnsentFor).
func getLine(b []byte, now int64) queue.Line {
	return queue.Line{
		Waiting: int(binary.LittleEndian.Uint16(b)), Queued: bytestr.Float16(b[2:]),
		Begun: timeOf(binary.LittleEndian.Uint32(b[4:]), now+pool.UnsentFor), Ended: timeOf(binary.LittleEndian.Uint32(b[8:]), now),
	}
}

// timeOf is the time of that number within 39 hours of now, but not after now: another worker may have read its clock a moment later.
func timeOf(units uint32, now int64) int64 {
	return min((now>>timeUnit+int64(int32(units-uint32(now>>timeUnit))))<<timeUnit, now)
}
