package prompt

// frame is one open object or array; frame 0 is the document around the body's value.
type frame struct {
	shape shapeID
	kind  kind
	array bool
	turn  bool
	rank  int8 // of the current member, in records and the document
	role  byte
	index int // of the current element, in arrays on the pointer's path
	depth int // of the pointer's tokens that led here

	firstSlot int  // in slots
	mark      int  // where it begins in the part
	loose     bool // members stay in the order in which they come: they are too long to wait for others
}

// kind is what a frame does with its members or elements.
type kind uint8

const (
	inNothing  kind = iota // skips them
	inDocument             // the document itself
	inRoot                 // members by the table; those with a rank are slots of the document
	inMembers              // members by the table, without canonical bytes
	inRecord               // members by the table; those with a rank are slots of the frame
	inList                 // elements of shape elem
	inDump                 // dumps them
	inTool                 // the same, but for cache_control
	inPointed              // looks for the pointer's next token
)

// turns is what is known of the turns of the prompt; offsets are bytes from the part's beginning.
type turns struct {
	leading            bool // only system turns so far
	systemEnd          int
	hasUser            bool
	userStart, userEnd int
}

func kindOf(o op) kind {
	switch o {
	case opRecord:
		return inRecord
	case opRoot:
		return inRoot
	case opMembers:
		return inMembers
	case opList, opPieces, opTokens:
		return inList
	case opDump:
		return inDump
	case opPointed:
		return inPointed
	}
	return inNothing
}

func (s *Scanner) endRecord(f *frame) {
	s.layOut(f)
	s.slots = s.slots[:f.firstSlot]
	if f.turn && s.unsure {
		s.settleBilled(f)
	}
	if !f.turn || s.late {
		return
	}
	if s.mayOpen(f) && f.role != 0 && !s.decided {
		s.endOpening()
	} else {
		s.endTurn(f.mark, f.role)
	}
	s.opened = true
}

// endTurn ends the turn from mark on. With the first user turn the part's text is made a block where it fills none: else the conversation's next
// turn would not be known by it.
func (s *Scanner) endTurn(mark int, role byte) {
	had := s.turns.hasUser
	s.turns.end(mark, s.pos(), role)
	if !had && s.turns.hasUser && s.pos() < s.unit && s.frames[0].rank == rankPrompt {
		s.flush(len(s.text))
		s.parts[rankPrompt].fold.EndShort()
	}
}

// end notes the turn from mark on, which ends at pos.
func (t *turns) end(mark, pos int, role byte) {
	if t.leading = t.leading && (role == roleSystem || role == roleDeveloper); t.leading {
		t.systemEnd = pos
	}
	if role == roleUser && !t.hasUser {
		t.hasUser, t.userStart, t.userEnd = true, mark, pos
	}
}
