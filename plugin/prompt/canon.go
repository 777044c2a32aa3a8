package prompt

import "encoding/binary"

// slot is one member of an open record: text[start:end], to be laid out by rank. Of a record's slots only the last may
// be open.
type slot struct {
	start, end int
	rank       int8
	open       bool
	tokens     bool
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

// put1 adds one canonical byte, as far as the limit lets it.
func (s *Scanner) put1(c byte) {
	if n := len(s.text); n < s.limit {
		if n < cap(s.text) {
			s.text = s.text[:n+1]
			s.text[n] = c
		} else {
			s.text = append(s.text, c)
		}
	}
}

func (s *Scanner) put(p []byte) {
	if n := min(len(p), s.limit-len(s.text)); n > 0 {
		s.text = append(s.text, p[:n]...)
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
		s.fail(BadToken)
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
		s.fail(UnknownShape)
		return false
	}
	s.mode = m
	return true
}

// slotsOf are the slots of the frame, which must be the innermost record or the document.
func (s *Scanner) slotsOf(f *frame) []slot { return s.slots[f.firstSlot:] }

// openSlot begins the member of the given rank. An earlier one of that rank is forgotten.
func (s *Scanner) openSlot(f *frame, rank int8) {
	for i := f.firstSlot; i < len(s.slots); i++ {
		if s.slots[i].rank == rank {
			s.dropSlot(f, i)
			break
		}
	}
	n := len(s.text)
	s.slots = append(s.slots, slot{start: n, rank: rank, open: true})
	s.limit = n + f.budget
	f.rank = rank
	if f.kind == inDocument {
		s.mode = noMode
		if rank == rankPrompt {
			s.turns = turns{leading: true}
		}
	}
}

func (s *Scanner) dropSlot(f *frame, i int) {
	d := s.slots[i]
	n := d.end - d.start
	s.text = append(s.text[:d.start], s.text[d.end:]...)
	s.slots = append(s.slots[:i], s.slots[i+1:]...)
	for j := i; j < len(s.slots); j++ {
		s.slots[j].start -= n
		s.slots[j].end -= n
	}
	if f.kind != inDocument && d.rank == 0 {
		f.role = 0
	}
	if len(s.text) < s.max {
		s.capped, s.stopAt = false, s.hold
	}
}

func (s *Scanner) closeSlot(f *frame) {
	last := &s.slots[len(s.slots)-1]
	last.end, last.open = len(s.text), false
	last.tokens = s.mode >= tokenMode && f.kind == inDocument
	f.rank = unranked
}

// layOut puts the slots of f in the order of their ranks and cuts them to f's budget. They stay in s.slots.
func (s *Scanner) layOut(f *frame) {
	slots := s.slotsOf(f)
	sorted := true
	for i := 1; i < len(slots); i++ {
		sorted = sorted && slots[i-1].rank < slots[i].rank
	}
	if !sorted {
		for i := 1; i < len(slots); i++ {
			for j := i; j > 0 && slots[j-1].rank > slots[j].rank; j-- {
				slots[j-1], slots[j] = slots[j], slots[j-1]
			}
		}
		n := len(s.text)
		for i := range slots {
			start := len(s.text)
			s.text = append(s.text, s.text[slots[i].start:slots[i].end]...)
			slots[i].start, slots[i].end = start, len(s.text)
		}
		shift := n - f.start
		copy(s.text[f.start:], s.text[n:])
		s.text = s.text[:n]
		for i := range slots {
			slots[i].start -= shift
			slots[i].end -= shift
		}
	}
	s.text = s.text[:min(len(s.text), f.start+f.budget)]
}

// settled reports that nothing to come can change Text, now that it has reached its cap, and the model is known.
func (s *Scanner) settled() bool {
	wait := uint32(1 << fModel)
	if s.waitSalt {
		wait |= 1 << fSalt
	}
	if s.have&wait != wait {
		return false
	}
	last := len(s.slots)
	for d := s.depth; d >= 0; d-- {
		f := &s.frames[d]
		if f.kind != inRecord && f.kind != inDocument {
			continue
		}
		if !s.recordSettled(f, s.slots[f.firstSlot:last]) {
			return false
		}
		last = f.firstSlot
	}
	return true
}

// recordSettled reports that nothing to come can stand before or within the first f.budget bytes of f that are there:
// going by rank, each slot before them is closed, or it is the one in hand and at the end.
func (s *Scanner) recordSettled(f *frame, slots []slot) bool {
	wanted := ^uint32(0)
	if f.kind == inDocument {
		wanted = shapes[rootOf[s.format]].wait
	}
	size, left := 0, len(slots)
	for rank := int8(0); left > 0 || wanted>>uint(rank) != 0 && f.kind == inDocument; rank++ {
		found := false
		for i := range slots {
			if slots[i].rank != rank {
				continue
			}
			found = true
			left--
			if !slots[i].open {
				size += slots[i].end - slots[i].start
			} else if size += len(s.text) - slots[i].start; size < f.budget && left > 0 {
				return false
			}
			if size >= f.budget {
				return true
			}
		}
		if !found && wanted>>uint(rank)&1 != 0 {
			return false
		}
	}
	return true
}
