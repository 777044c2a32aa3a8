package news

import (
	"encoding/binary"
	"math"
)

// Speed is the sums that a line of an endpoint's times to the first token is fitted to (package pool).
type Speed struct {
	Address string // "": of all endpoints together
	Sums    [7]float64
}

// SumsSize is the bytes of sums.
const SumsSize = 7 * 4

// AppendSums appends sums, as float32.
func AppendSums(dst []byte, s [7]float64) []byte {
	for _, x := range s {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(x)))
	}
	return dst
}

// ReadSums reads at least SumsSize bytes; false if they are none: below 0, or not a number.
func ReadSums(b []byte) (s [7]float64, ok bool) {
	for k := range s {
		x := float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:])))
		if !(x >= 0 && x <= math.MaxFloat32) {
			return s, false
		}
		s[k] = x
	}
	return s, true
}

// Speeds writes the sums of all endpoints together, and of n endpoints. It reports false, and writes nothing, if there is no room.
func (w *Writer) Speeds(all [7]float64, n int, at func(i int) (address string, s [7]float64)) bool {
	start, endpoints := len(w.page), len(w.endpoints)
	w.page = AppendSums(append(w.page, recordSpeeds), all)
	w.page = binary.AppendUvarint(w.page, uint64(n))
	ok := true
	for i := range n {
		address, s := at(i)
		ok = w.endpoint(address) && ok
		w.page = AppendSums(w.page, s)
	}
	if !ok || len(w.page)+tail > MaxPage {
		w.page, w.endpoints = w.page[:start], w.endpoints[:endpoints]
		return false
	}
	return true
}

func (r *Reader) speeds() (ok bool) {
	r.Speeds = r.Speeds[:0]
	var s Speed
	if s.Sums, ok = r.sums(); !ok {
		return false
	}
	r.Speeds = append(r.Speeds, s)
	n, ok := r.uvarint(MaxEndpoints)
	for range n {
		if s.Address, ok = r.endpoint(); !ok {
			return false
		}
		if s.Sums, ok = r.sums(); !ok {
			return false
		}
		r.Speeds = append(r.Speeds, s)
	}
	return ok
}

func (r *Reader) sums() (s [7]float64, ok bool) {
	if len(r.rest) < SumsSize {
		return s, false
	}
	s, ok = ReadSums(r.rest)
	r.rest = r.rest[SumsSize:]
	return s, ok
}
