package news

import (
	"encoding/binary"
	"math"
)

// Speed is what is told of an endpoint, pool.Speed.
type Speed struct {
	Address string // "": of all endpoints together
	Sums    [sums]float64
	Lost    float64 // 0 to 1
}

const sums = 11

// Bytes of a speed, and of what returns.
const (
	SpeedSize     = sums*3 + 1
	ReturningSize = 2 * 4
)

// AppendSpeed appends the sums, as float32 without the sign and the last seven bits: to 1 in 131,072; and the root of what is lost, in
// 255ths. So a page has room for 1,024 endpoints whose addresses have 27 bytes at most.
func AppendSpeed(dst []byte, s *[sums]float64, lost float64) []byte {
	for _, x := range s {
		bits := (math.Float32bits(told(x)) + 1<<6) >> 7 // rounded
		dst = append(dst, byte(bits), byte(bits>>8), byte(bits>>16))
	}
	return append(dst, byte(math.Sqrt(float64(min(told(lost), 1)))*255+0.5))
}

// AppendReturning appends the tokens that one endpoint alone holds, and of how many, likewise.
func AppendReturning(dst []byte, r [2]float64) []byte { return appendFloats(dst, r[:]) }

func appendFloats(dst []byte, list []float64) []byte {
	for _, x := range list {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(told(x)))
	}
	return dst
}

// told is a number as it may be told, 0 to 3 × 10³⁸: of another one a reader would believe nothing of the page.
func told(x float64) float32 {
	if !(x > 0) { // nor is it NaN
		return 0
	}
	return float32(min(x, 3e38))
}

// ReadSpeed reads at least SpeedSize bytes; false if they are none: not a number, or without an end.
func ReadSpeed(b []byte) (s [sums]float64, lost float64, ok bool) {
	for k := range s {
		bits := uint32(b[3*k]) | uint32(b[3*k+1])<<8 | uint32(b[3*k+2])<<16
		s[k] = float64(math.Float32frombits(bits << 7))
		if !(s[k] <= math.MaxFloat32) {
			return s, 0, false
		}
	}
	lost = float64(b[3*sums]) / 255
	return s, lost * lost, true
}

// ReadReturning reads at least ReturningSize bytes; false likewise, or below 0.
func ReadReturning(b []byte) (r [2]float64, ok bool) {
	ok = readFloats(r[:], b)
	return r, ok
}

func readFloats(list []float64, b []byte) bool {
	for k := range list {
		x := float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:])))
		if !(x >= 0 && x <= math.MaxFloat32) {
			return false
		}
		list[k] = x
	}
	return true
}

// Speeds writes how much one endpoint alone holds of prompts, in tokens, and of how many; the speed of all endpoints together, and of n
// endpoints. It reports false, and writes nothing, if there is no room.
func (w *Writer) Speeds(returning [2]float64, all Speed, n int, at func(i int) Speed) bool {
	start, endpoints := len(w.page), len(w.endpoints)
	w.page = AppendSpeed(AppendReturning(append(w.page, recordSpeeds), returning), &all.Sums, all.Lost)
	w.page = binary.AppendUvarint(w.page, uint64(n))
	ok := true
	for i := range n {
		s := at(i)
		ok = w.endpoint(s.Address) && ok
		w.page = AppendSpeed(w.page, &s.Sums, s.Lost)
	}
	if !ok || len(w.page)+w.tail > MaxPage {
		w.page, w.endpoints = w.page[:start], w.endpoints[:endpoints]
		return false
	}
	return true
}

func (r *Reader) speeds() (ok bool) {
	r.Speeds = r.Speeds[:0]
	if len(r.rest) < ReturningSize {
		return false
	}
	if r.Returning, ok = ReadReturning(r.rest); !ok {
		return false
	}
	r.rest = r.rest[ReturningSize:]
	s, ok := r.speed()
	if !ok {
		return false
	}
	r.Speeds = append(r.Speeds, s)
	n, ok := r.uvarint(MaxEndpoints)
	for range n {
		address, known := r.endpoint()
		if !known {
			return false
		}
		if s, ok = r.speed(); !ok {
			return false
		}
		s.Address = address
		r.Speeds = append(r.Speeds, s)
	}
	return ok
}

func (r *Reader) speed() (s Speed, ok bool) {
	if len(r.rest) < SpeedSize {
		return s, false
	}
	s.Sums, s.Lost, ok = ReadSpeed(r.rest)
	r.rest = r.rest[SpeedSize:]
	return s, ok
}
