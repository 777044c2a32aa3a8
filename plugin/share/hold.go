package share

import (
	"encoding/binary"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/pool"
)

// What waits at a gateway takes a byte for how many groups there are, pool.MostHolds at most, and for each of them, little-endian: its
// name, 32 bits; the requests, 16 bits; the fewest tokens of one, a float16.
const holdSize = 8

// appendHolds appends the first pool.MostHolds of them.
func appendHolds(dst []byte, all []pool.Hold) []byte {
	all = all[:min(len(all), pool.MostHolds)]
	dst = append(dst, byte(len(all)))
	for i := range all {
		dst = binary.LittleEndian.AppendUint32(dst, all[i].Group)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(min(max(all[i].Requests, 0), 1<<16-1)))
		dst = bytestr.AppendFloat16(dst, all[i].Least)
	}
	return dst
}

// cutHolds divides what begins with them; nil and nil where it is too short.
func cutHolds(b []byte) (holds, rest []byte) {
	if len(b) == 0 {
		return nil, nil
	}
	n := int(b[0])
	if n > pool.MostHolds || len(b) < 1+holdSize*n {
		return nil, nil
	}
	return b[1 : 1+holdSize*n], b[1+holdSize*n:]
}

// addHolds adds what cutHolds has cut to a list.
func addHolds(list []pool.Hold, b []byte) []pool.Hold {
	for ; len(b) >= holdSize; b = b[holdSize:] {
		list = pool.AddHold(list, pool.Hold{
			Group: binary.LittleEndian.Uint32(b), Requests: int(binary.LittleEndian.Uint16(b[4:])), Least: bytestr.Float16(b[6:]),
		})
	}
	return list
}
