package prompt

import (
	"encoding/binary"

	"warmroute/plugin/why"
)

// slot is one member of an open record: its place in the current part, to be laid out by rank. Of a record's slots
// only the last may be open. Places are bytes from the part's beginning.
type slot struct {
	start, end int
	rank       int8
}

// mode is what a prompt is made of.
type mode uint8

const (
	noMode mode = iota
	textMode
	tokenMode
	tokensMode // arrays of token ids
)

// tokenBreak stands between the token arrays of a batch. No vocabulary has this id.
const tokenBreak = "\xff\xff\xff\xff"

// put1 adds one canonical byte.
func (s *Scanner) put1(c byte) {
	if len(s.text) >= s.room {
		s.drain()
	}
	s.text = append(s.text, c)
}

func (s *Scanner) put(p []byte) {
	for len(p) > 0 {
		if len(s.text) >= s.room {
			s.drain()
		}
		n := min(len(p), s.room-len(s.text))
		s.text = append(s.text, p[:n]...)
		p = p[n:]
	}
}

func (s *Scanner) putString(p string) {
	for i := range len(p) {
		s.put1(p[i])
	}
}

// putToken adds the number that was read.
func (s *Scanner) putToken() {
	if !s.exact || s.value > 1<<32-1 {
		s.fail(why.BadToken)
		return
	}
	want := tokenMode
	if s.next == sTokens {
		want = tokensMode
	}
	if !s.enter(want) {
		return
	}
	binary.LittleEndian.PutUint32(s.spare[:], uint32(s.value))
	s.put(s.spare[:4])
}

// enter notes what the prompt's next element is; one prompt has elements of one kind.
func (s *Scanner) enter(m mode) bool {
	if s.mode != noMode && s.mode != m {
		s.fail(why.UnknownShape)
		return false
	}
	s.mode = m
	return true
}

// openSlot begins the record's member of the given rank. An earlier one of that rank is forgotten, unless it is hashed. Of a loose
// record no slot is needed but the last: a body that repeats its members without end must take neither memory nor time.
func (s *Scanner) openSlot(f *frame, rank int8) {
	if f.loose {
		s.slots = s.slots[:f.firstSlot]
	}
	for i := f.firstSlot; i < len(s.slots); i++ {
		if s.slots[i].rank == rank && s.slots[i].start >= s.base {
			s.dropSlot(f, i)
			break
		}
	}
	s.slots = append(s.slots, slot{start: s.pos(), end: s.pos(), rank: rank})
	f.rank = rank
}

func (s *Scanner) dropSlot(f *frame, i int) {
	d := s.slots[i]
	n := d.end - d.start
	s.text = append(s.text[:d.start-s.base], s.text[d.end-s.base:]...)
	s.slots = append(s.slots[:i], s.slots[i+1:]...)
	for j := i; j < len(s.slots); j++ {
		s.slots[j].start -= n
		s.slots[j].end -= n
	}
	if d.rank == 0 {
		f.role = 0
	}
}

func (s *Scanner) closeSlot(f *frame) {
	s.slots[len(s.slots)-1].end = s.pos()
	f.rank = unranked
}

// layOut puts the slots of f in the order of their ranks. Those that are in order from the first on may be hashed already.
func (s *Scanner) layOut(f *frame) {
	slots := s.slots[f.firstSlot:]
	first := 0
	for first < len(slots) && int(slots[first].rank) == first {
		first++
	}
	slots = slots[first:]
	sorted := f.loose
	if !sorted {
		sorted = true
		for i := 1; i < len(slots); i++ {
			sorted = sorted && slots[i-1].rank < slots[i].rank
		}
	}
	if sorted {
		return
	}
	start := slots[0].start - s.base
	for i := 1; i < len(slots); i++ {
		for j := i; j > 0 && slots[j-1].rank > slots[j].rank; j-- {
			slots[j-1], slots[j] = slots[j], slots[j-1]
		}
	}
	n := len(s.text)
	for i := range slots {
		s.text = append(s.text, s.text[slots[i].start-s.base:slots[i].end-s.base]...)
	}
	copy(s.text[start:], s.text[n:])
	s.text = s.text[:n]
}
