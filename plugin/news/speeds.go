package news

import (
	"encoding/binary"
	"math"
)

// Speed is what is told of an endpoint, pool.Speed.
type Speed struct {
	Address string // "": of all endpoints together
	Sums    [sums]float64
	Lost    float64    // 0 to 1
	Thrash  [2]float64 // traffic.Thrash: times, 0 to 254, and tokens
}

const sums = 11

// habits is of how many numbers traffic.Habits are, and HabitsSize the bytes that they take.
const (
	habits     = 5
	HabitsSize = habits * 4
)

// AppendSpeed appends the sums, as float32 without the sign and the last seven bits: to 1 in 131,072; the roots of what is lost, in
// 255ths, and of the times of Thrash, in 16ths; and, where there is any, its tokens, as float32 without the last 16 bits: to 1 in 256. So a
// page has room for 1,024 endpoints whose addresses have 25 bytes at most, where conversations lose something at a third of them.
func AppendSpeed(dst []byte, s *Speed) []byte {
	for _, x := range s.Sums {
		bits := (math.Float32bits(told(x)) + 1<<6) >> 7 // rounded
		dst = append(dst, byte(bits), byte(bits>>8), byte(bits>>16))
	}
	times, tokens := byte(math.Sqrt(float64(min(told(s.Thrash[0]), 254)))*16+0.5), told(s.Thrash[1])-told(-s.Thrash[1])
	if tokens != 0 {
		times = max(times, 1)
	}
	dst = append(dst, byte(math.Sqrt(float64(min(told(s.Lost), 1)))*255+0.5), times)
	if times > 0 {
		bits := (math.Float32bits(tokens) + 1<<15) >> 16
		dst = append(dst, byte(bits), byte(bits>>8))
	}
	return dst
}

// AppendHabits appends them as float32.
func AppendHabits(dst []byte, h *[habits]float64) []byte {
	for _, x := range h {
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

// ReadSpeed reads one, and returns what is behind it; false if it is none: not a number, or without an end.
func ReadSpeed(b []byte) (s Speed, rest []byte, ok bool) {
	if len(b) < 3*sums+2 {
		return s, nil, false
	}
	for k := range s.Sums {
		bits := uint32(b[3*k]) | uint32(b[3*k+1])<<8 | uint32(b[3*k+2])<<16
		s.Sums[k] = float64(math.Float32frombits(bits << 7))
		if !(s.Sums[k] <= math.MaxFloat32) {
			return s, nil, false
		}
	}
	b = b[3*sums:]
	lost, times := float64(b[0])/255, float64(b[1])/16
	s.Lost, s.Thrash[0] = lost*lost, times*times
	if b = b[2:]; times == 0 {
		return s, b, true
	}
	if len(b) < 2 {
		return s, nil, false
	}
	s.Thrash[1] = float64(math.Float32frombits(uint32(b[0])<<16 | uint32(b[1])<<24))
	return s, b[2:], math.Abs(s.Thrash[1]) <= math.MaxFloat32
}

// ReadHabits reads at least HabitsSize bytes; false likewise, or below 0.
func ReadHabits(b []byte) (h [habits]float64, ok bool) {
	for k := range h {
		h[k] = float64(math.Float32frombits(binary.LittleEndian.Uint32(b[4*k:])))
		if !(h[k] >= 0 && h[k] <= math.MaxFloat32) {
			return h, false
		}
	}
	return h, true
}

// Speeds writes traffic.Habits, the speed of all endpoints together, and of n endpoints. It reports false, and writes nothing, if there is no
// room.
func (w *Writer) Speeds(h *[habits]float64, all Speed, n int, at func(i int) Speed) bool {
	start, endpoints := len(w.page), len(w.endpoints)
	w.page = AppendSpeed(AppendHabits(append(w.page, recordSpeeds), h), &all)
	w.page = binary.AppendUvarint(w.page, uint64(n))
	ok := true
	for i := range n {
		s := at(i)
		ok = w.endpoint(s.Address) && ok
		w.page = AppendSpeed(w.page, &s)
	}
	if !ok || len(w.page)+w.tail > MaxPage {
		w.page, w.endpoints = w.page[:start], w.endpoints[:endpoints]
		return false
	}
	return true
}

func (r *Reader) speeds() (ok bool) {
	r.Speeds = r.Speeds[:0]
	if len(r.rest) < HabitsSize {
		return false
	}
	if r.Habits, ok = ReadHabits(r.rest); !ok {
		return false
	}
	r.rest = r.rest[HabitsSize:]
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
	s, r.rest, ok = ReadSpeed(r.rest)
	return s, ok
}
