package prompt

import (
	"math"

	"warmroute/plugin/why"
)

// numState is the place within a number (RFC 8259, section 6).
type numState uint8

const (
	numStart numState = iota
	numMinus
	numZero
	numInt
	numPoint
	numFraction
	numE
	numSign
	numExponent
)

func (n numState) complete() bool {
	return n == numZero || n == numInt || n == numFraction || n == numExponent
}

// step is the state after c, or false where c does not go on with the number.
func (n numState) step(c byte) (numState, bool) {
	digit := c-'0' <= 9
	switch n {
	case numStart, numMinus:
		switch {
		case c == '-' && n == numStart:
			return numMinus, true
		case c == '0':
			return numZero, true
		case digit:
			return numInt, true
		}
	case numZero, numInt:
		switch {
		case digit && n == numInt:
			return numInt, true
		case c == '.':
			return numPoint, true
		case c|0x20 == 'e':
			return numE, true
		}
	case numPoint, numFraction:
		switch {
		case digit:
			return numFraction, true
		case c|0x20 == 'e' && n == numFraction:
			return numE, true
		}
	case numE:
		if c == '+' || c == '-' {
			return numSign, true
		}
		if digit {
			return numExponent, true
		}
	case numSign, numExponent:
		if digit {
			return numExponent, true
		}
	}
	return n, false
}

func (s *Scanner) beginNumber() {
	s.state, s.num, s.value, s.exact = inNumber, numStart, 0, true
	s.held = nil
	if shapes[s.next].scalar == opDump {
		s.held = &s.numBuf
		s.begin(s.held)
	}
}

func (s *Scanner) readNumber(b []byte, i int) int {
	for j := i; j < len(b); j++ {
		n, ok := s.num.step(b[j])
		if !ok {
			if s.held != nil {
				s.add(s.held, b[i:j])
			}
			if !s.num.complete() {
				s.fail(why.BrokenJSON)
				return j
			}
			s.endNumber()
			return j
		}
		s.num = n
		if n == numMinus {
			s.value = math.MaxUint64
		}
		if n != numZero && n != numInt || s.value > math.MaxInt64/10-1 {
			s.exact = false
		} else {
			s.value = s.value*10 + uint64(b[j]-'0')
		}
	}
	if s.held != nil {
		s.add(s.held, b[i:])
	}
	return len(b)
}

func (s *Scanner) endNumber() {
	if !s.num.complete() {
		s.fail(why.BrokenJSON)
		return
	}
	sh := &shapes[s.next]
	switch sh.scalar {
	case opBad:
		s.fail(why.UnknownShape)
	case opDump:
		s.end(&s.numBuf)
		s.put1(frameScalar)
		s.put(s.numBuf.b)
	case opToken:
		s.putToken()
	case opMark, opUnlessFalse:
		s.have |= 1 << sh.arg
	case opKept:
		s.keepAtMost(float64(s.value)) // all, if it is below 0
	case opNumber:
		if s.exact {
			s.numbers[sh.arg] = int64(s.value)
			s.known |= 1 << sh.arg
		}
	}
	s.endValue()
}

// keepAtMost records that the server keeps so many tokens of the prompt at most. Of several members the least counts: which one servers take
// differs.
func (s *Scanner) keepAtMost(tokens float64) {
	s.have |= 1 << flagAtypical
	if p := &s.prompt; p.Keeps == 0 || tokens < p.Keeps {
		p.Keeps = max(tokens, 1)
	}
}

// endWord ends true, false or null.
func (s *Scanner) endWord() {
	sh := &shapes[s.next]
	o := sh.scalar
	if s.word == "null" {
		o = sh.null
	}
	switch o {
	case opBad, opToken:
		s.fail(why.UnknownShape)
	case opDump:
		s.put1(frameScalar)
		s.putString(s.word)
	case opFlag, opUnlessFalse:
		if s.word == "true" {
			s.have |= 1 << sh.arg
		}
	case opIfFalse:
		if s.word == "false" {
			s.have |= 1 << sh.arg
		}
	case opMark:
		s.have |= 1 << sh.arg
	}
	s.endValue()
}
