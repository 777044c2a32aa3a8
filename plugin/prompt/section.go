package prompt

import "warmroute/plugin/prefix"

// partCount is the ranks of a document's members.
const partCount = int(rankPrompt) + 6

// section is one member of the document that has canonical bytes: tools, a system prompt, the turns. Each is cut into blocks
// by itself, so that sections may come in any order and need not be kept.
type section struct {
	fold   prefix.Fold
	kept   []byte // the beginning, at most keep bytes
	state  sectionState
	tokens bool
}

type sectionState uint8

const (
	absent sectionState = iota
	open
	closed
)

// pos is the place in the current part.
func (s *Scanner) pos() int { return s.base + len(s.text) }

// openPart begins the part of the given rank. An earlier one of that rank is forgotten. After the decision only what
// stands behind all that came before it counts.
func (s *Scanner) openPart(rank int8) {
	s.frames[0].rank = rank
	s.text, s.base, s.room, s.mode, s.late = s.text[:0], 0, window, noMode, false
	if s.decided {
		for r := int(rank); r < partCount && !s.late; r++ {
			s.late = s.parts[r].state != absent
		}
	}
	if s.late {
		return
	}
	s.emptyPart(rank)
	if rank == rankPrompt {
		s.turns = turns{leading: true}
		if s.opened = s.format != Chat && s.format != Responses && s.format != Messages; !s.decided {
			s.parts[rankOpening].state = absent
		}
	}
}

// endOpening makes a part of its own of a first turn that is the system's, because most chat templates put it before the tools.
func (s *Scanner) endOpening() {
	s.flush(len(s.text))
	s.parts[rankOpening], s.parts[rankPrompt] = s.parts[rankPrompt], s.parts[rankOpening]
	s.parts[rankOpening].state = closed
	s.emptyPart(rankPrompt)
	s.base, s.room = 0, window
}

// emptyPart begins a part anew.
func (s *Scanner) emptyPart(rank int8) {
	p := &s.parts[rank]
	p.state, p.tokens, p.kept = open, false, p.kept[:0]
	p.fold.Reset(s.unit)
}

// mayOpen says that the current turn is the first and, by its role, may be the system's.
func (s *Scanner) mayOpen(f *frame) bool {
	return !s.opened && f.mark == 0 && (f.role == 0 || f.role == roleSystem || f.role == roleDeveloper)
}

func (s *Scanner) closePart() {
	rank := s.frames[0].rank
	if n := len(s.text); s.base == 0 && (rank == rankArguments && n == len("\xfbk\xf9\xf8") || rank == rankSystem && n <= len("\xfes\xfd")) {
		s.text = s.text[:0] // no arguments, or no text: as if absent
	}
	s.flush(len(s.text))
	if !s.late {
		s.parts[rank].state = closed
		s.parts[rank].tokens = s.mode >= tokenMode
	}
	s.frames[0].rank, s.late = unranked, false
}

// drain makes room in text. What cannot move any more is hashed; where that is nothing, text grows. Where a member has
// filled maxWindow while those before it are missing, its record stays in the order in which it comes: the same in the next
// turn. All this falls at the same bytes however the body is cut into chunks, because nothing else hashes before a part's end.
func (s *Scanner) drain() {
	n := s.final() - s.base
	switch {
	case n > 0:
	case s.room < maxWindow:
		s.room *= 2
		return
	default:
		s.loosen()
		n = len(s.text)
	}
	s.flush(n)
	for s.room = window; s.room <= len(s.text); { // what follows is as long as what was kept before it, at most
		s.room *= 2
	}
}

// loosen gives up the order of the open records' members.
func (s *Scanner) loosen() {
	for d := 1; d <= s.depth; d++ {
		s.frames[d].loose = true
	}
}

// flush hashes the first n bytes of text, and keeps of them what Text is made of.
func (s *Scanner) flush(n int) {
	if rank := s.frames[0].rank; rank != unranked && !s.late {
		p, text := &s.parts[rank], s.text[:n]
		p.fold.Write(text)
		if room := s.keep - len(p.kept); room > 0 {
			p.kept = append(p.kept, text[:min(room, n)]...)
		}
	}
	s.text = s.text[:copy(s.text, s.text[n:])]
	s.base += n
}

// final is the place up to which nothing that follows can change the current part: each open record has its members from
// the first rank on, without a gap and in this order, up to the current one.
func (s *Scanner) final() int {
	last := len(s.slots)
	final := s.pos()
	for d := s.depth; d > 0; d-- {
		f := &s.frames[d]
		if f.kind != inRecord {
			continue
		}
		slots := s.slots[f.firstSlot:last]
		last = f.firstSlot
		if f.loose {
			continue
		}
		for i := range slots {
			if int(slots[i].rank) != i {
				final = slots[i].start
				break
			}
		}
	}
	return final
}

// Kept is the canonical bytes that the Scanner keeps of the body. Only media make them many more than have come.
func (s *Scanner) Kept() int {
	n := len(s.text)
	for i := range s.parts {
		n += len(s.parts[i].kept)
	}
	return n
}

// Memory is the bytes that the Scanner has room for, of this body and of those before it.
//
//go:noinline
func (s *Scanner) Memory() int {
	n := cap(s.text) + cap(s.out)
	for i := range s.parts {
		n += cap(s.parts[i].kept) + s.parts[i].fold.Memory()
	}
	return n
}
