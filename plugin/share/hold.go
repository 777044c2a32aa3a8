package share

import (
	"encoding/binary"

	"warmroute/plugin/queue"
)

// What waits at a worker, or at all other gateways, takes a byte for the number of groups, those of each gateway by themselves,
// queue.MostPlaces at most; and for each group, little-endian: its name, 32 bits; the requests, 16 bits; of the first its size, 8 bits, and
// since when it waits, nanoseconds, 64 bits.
const holdSize = 15

// appendHolds appends the first queue.MostPlaces of them.
func appendHolds(dst []byte, all []queue.Hold) []byte {
	all = all[:min(len(all), queue.MostPlaces)]
	dst = append(dst, byte(len(all)))
	for i := range all {
		h := &all[i]
		dst = binary.LittleEndian.AppendUint32(dst, h.Group)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(min(max(h.Requests, 0), 1<<16-1)))
		dst = binary.LittleEndian.AppendUint64(append(dst, h.First.Size), uint64(h.First.Since))
	}
	return dst
}

// cutHolds divides what begins with them; nil and nil where it is too short.
func cutHolds(b []byte) (holds, rest []byte) {
	if len(b) == 0 {
		return nil, nil
	}
	n := int(b[0])
	if n > queue.MostPlaces || len(b) < 1+holdSize*n {
		return nil, nil
	}
	return b[1 : 1+holdSize*n], b[1+holdSize*n:]
}

// addHolds adds what cutHolds has cut to a list, if it has room.
func addHolds(list []queue.Hold, b []byte) []queue.Hold {
	for ; len(b) >= holdSize && len(list) < queue.MostPlaces; b = b[holdSize:] {
		list = append(list, queue.Hold{
			Group: binary.LittleEndian.Uint32(b), Requests: int(binary.LittleEndian.Uint16(b[4:])),
			First: queue.Turn{Size: b[6], Since: int64(binary.LittleEndian.Uint64(b[7:]))},
		})
	}
	return list
}
