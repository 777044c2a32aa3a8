package prompt

import (
	"warmroute/plugin/bytestr"
	"warmroute/plugin/why"
)

// Letters of the roles that chat templates know; any other role is roleOther and its name.
const (
	roleSystem    = 's'
	roleDeveloper = 'd'
	roleUser      = 'u'
	roleOther     = 'x'
)

var roleLetters = [...]struct {
	name   string
	letter byte
}{
	{"user", roleUser}, {"assistant", 'a'}, {"system", roleSystem}, {"developer", roleDeveloper}, {"tool", 't'}, {"function", 'f'},
}

// beginString prepares for the bytes of a string value.
func (s *Scanner) beginString() {
	s.state, s.sink = inString, toNowhere
	sh := &shapes[s.next]
	switch sh.str {
	case opBad:
		s.fail(why.UnknownShape)
	case opField:
		switch {
		case !s.decided || sh.arg >= fTruncation: // the decision's own stay as they are
			s.fill(&s.fields[sh.arg])
		case sh.arg <= fAdapter: // it changes the cache's key, and the decision was made without
			s.have |= 1 << flagAtypical
		}
	case opMark:
		s.have |= 1 << sh.arg
	case opKept: // servers read numbers in strings, too
		s.keepAtMost(1)
	case opRole:
		s.fill(&s.roleBuf)
	case opMedium:
		s.digest.Reset()
		s.medium = mediumSize{next: firstCheckpoint}
		s.sink = toDigest
	case opPiece:
		if s.mode == textMode { // of a batch
			s.have |= 1 << flagAtypical
		}
		if s.enter(textMode) {
			s.putString(sh.strMark)
			s.sink = toText
		}
	case opText, opUserText, opDump:
		s.opened = s.opened || sh.str == opUserText
		if to := s.textSink(); to != toText {
			s.at, s.sink = 0, to
			break
		}
		s.putString(sh.strMark)
		s.sink = toText
	}
}

func (s *Scanner) fill(c *capture) {
	s.begin(c)
	s.held, s.sink = c, toCapture
}

// endString ends a key or a string value.
func (s *Scanner) endString() {
	s.loseHigh()
	if s.inKey {
		s.endKey()
		return
	}
	sh := &shapes[s.next]
	switch sh.str {
	case opField:
		if s.sink == toCapture {
			s.end(s.held)
			s.have |= 1 << sh.arg
		}
	case opRole:
		s.endRole()
	case opMedium:
		s.have |= 1 << flagMedia
		s.putMedium(s.digest.Sum64(), sh.arg == 0)
	case opText:
		s.endText(sh.strMark)
	case opUserText:
		if !s.late {
			s.endTurn(0, roleUser)
		}
	}
	s.endValue()
}

func (s *Scanner) endRole() {
	s.end(&s.roleBuf)
	f := &s.frames[s.depth]
	for i := range roleLetters {
		if bytestr.Equal(s.roleBuf.b, roleLetters[i].name) {
			f.role = roleLetters[i].letter
			s.opened = s.opened || !s.mayOpen(f)
			s.put1(f.role)
			return
		}
	}
	f.role, s.opened = roleOther, true
	s.put1(roleOther)
	s.put(s.roleBuf.b)
}
