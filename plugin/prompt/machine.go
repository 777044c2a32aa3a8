package prompt

import (
	"warmroute/plugin/bytestr"
	"warmroute/plugin/why"
)

func (s *Scanner) openFrame(array bool) {
	if s.depth == MaxDepth {
		s.fail(why.TooDeep)
		return
	}
	sh := &shapes[s.next]
	o, mark := sh.obj, sh.objMark
	if array {
		o, mark = sh.arr, sh.arrMark
	}
	k := kindOf(o)
	if o == opBad {
		s.fail(why.UnknownShape)
		return
	}
	outer := &s.frames[s.depth]
	s.depth++
	f := &s.frames[s.depth]
	*f = frame{shape: s.next, kind: k, array: array, rank: unranked, mark: s.pos()}
	s.putString(mark)
	f.firstSlot = len(s.slots)
	switch o {
	case opMark:
		s.have |= 1 << sh.arg
	case opRecord:
		f.turn = sh.turn
	case opDump:
		if s.next == sTool && !array {
			f.kind = inTool
		}
	case opPointed:
		f.depth = outer.depth
		if outer.kind == inPointed {
			f.depth++
		}
	case opTokens:
		if s.mode == tokensMode { // of a batch
			s.have |= 1 << flagAtypical
			s.putString(tokenBreak)
		} else if !s.enter(tokensMode) {
			return
		}
		f.shape = sPiece
	}
	if array {
		s.state, s.next = wantElement, s.elementShape(f)
	} else {
		s.state = wantMember
	}
}

// elementShape is the shape of the element of f that comes next.
func (s *Scanner) elementShape(f *frame) shapeID {
	switch f.kind {
	case inList:
		return shapes[f.shape].elem
	case inDump:
		return sDump
	case inPointed:
		if s.ptr.tokens[f.depth].index == f.index {
			return s.towardsTarget(f)
		}
	}
	return sSkip
}

// closeFrame ends the current object or array, and with it a value.
func (s *Scanner) closeFrame() {
	f := &s.frames[s.depth]
	switch f.kind {
	case inRecord:
		s.endRecord(f)
	case inDump, inTool:
		s.put1(frameClose)
	}
	s.depth--
	s.endValue()
}

// endValue is called when a value is complete.
func (s *Scanner) endValue() {
	if s.status != More {
		return
	}
	f := &s.frames[s.depth]
	switch f.kind {
	case inRecord:
		if f.rank != unranked {
			s.closeSlot(f)
		}
	case inRoot:
		if s.frames[0].rank != unranked {
			s.closePart()
		}
	}
	if s.target == s.depth {
		s.closePart()
		s.target = -1
	}
	s.state = wantMore
	if s.depth == 0 {
		s.state = endOfBody
	}
}

func (s *Scanner) beginKey() {
	s.state, s.inKey, s.sink = inString, true, toCapture
	s.held = &s.key
	s.begin(s.held)
	if s.frames[s.depth].kind == inNothing {
		s.sink = toNowhere
	}
}

func (s *Scanner) endKey() {
	s.inKey, s.state, s.next = false, wantColon, sSkip
	f := &s.frames[s.depth]
	if f.kind == inNothing {
		return
	}
	s.end(&s.key)
	switch f.kind {
	case inTool:
		if bytestr.Equal(s.key.b, "cache_control") {
			return
		}
		fallthrough
	case inDump:
		s.put1(frameString)
		s.put(s.key.b)
		s.next = sDump
	case inRecord:
		table := shapes[f.shape].members
		if f.shape == sPart && s.format == Messages {
			table = table[:len(table)-1] // data: of redacted_thinking, which vLLM leaves out (entrypoints/anthropic/serving.py, _convert_block)
		}
		s.member(f, table)
	case inRoot:
		if !s.member(&s.frames[0], shapes[f.shape].members) {
			s.member(&s.frames[0], common)
		}
	case inMembers:
		s.member(f, shapes[f.shape].members)
	case inPointed:
		if bytestr.Equal(s.key.b, s.ptr.tokens[f.depth].name) {
			s.next = s.towardsTarget(f)
		} else if s.depth == 1 {
			s.member(&s.frames[0], common)
		}
	}
}

// member looks up the key, and prepares for its value: a part of the prompt in the document, a slot in a record.
func (s *Scanner) member(f *frame, table []member) bool {
	for i := range table {
		m := &table[i]
		if !bytestr.Equal(s.key.b, m.key) {
			continue
		}
		s.next = m.shape
		clear := shapes[m.shape].clear
		if s.decided { // the decision's own stay as they are
			clear &^= 1<<fTruncation - 1
		}
		s.have &^= clear
		switch {
		case m.rank == unranked:
		case f.kind == inDocument:
			s.openPart(m.rank)
		default:
			s.openSlot(f, m.rank)
		}
		return true
	}
	return false
}

// towardsTarget is the shape of the value that the pointer's next token names within f.
func (s *Scanner) towardsTarget(f *frame) shapeID {
	if f.depth+1 < len(s.ptr.tokens) {
		s.forgetTarget()
		return sPointed
	}
	s.openTarget()
	return sTarget
}

// openTarget prepares for the pointer's target, a value in the current frame.
func (s *Scanner) openTarget() {
	s.openPart(rankPrompt)
	s.target, s.next = s.depth, sTarget
}

// forgetTarget drops a target that an earlier member of the same name has led to.
func (s *Scanner) forgetTarget() {
	if !s.decided {
		s.parts[rankPrompt].state = absent
	}
}
