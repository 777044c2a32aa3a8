package prompt

import (
	"math"

	"github.com/cespare/xxhash/v2"
)

// Defaults of Options, and their bounds.
const (
	DefaultInspectBytes   = 64 << 10
	DefaultLookaheadBytes = 256 << 10
	DefaultHoldBytes      = 512 << 10
	minInspectBytes       = 64
	maxInspectBytes       = 1 << 30

	// MaxDepth is how deep objects and arrays may nest; the body's own object is the first level.
	MaxDepth = 64

	maxOffset = math.MaxInt
)

// Options bound what a Scanner reads.
type Options struct {
	// InspectBytes is the cap of the canonical bytes, rounded down to whole token ids (4 bytes); 0: the default.
	InspectBytes int
	// LookaheadBytes is how many bytes of the body may be read past the point where the cap was reached, while what
	// stands in front of the prompt is still missing: model, tools, system, the role of the turn in hand.
	LookaheadBytes int
	// HoldBytes is how many bytes of the body may be read in all, though the cap is not reached, as with an image of
	// megabytes, of which the canonical bytes are 17. The proxy holds them meanwhile, so it must be below its buffer
	// limit (Envoy: 1 MiB). 0: the larger of DefaultHoldBytes and InspectBytes + LookaheadBytes; negative: no bound.
	HoldBytes int
	// WaitSalt makes cache_salt one of the members that are waited for. Few requests have one, so with it nearly every
	// long body is read to the end of the lookahead.
	WaitSalt bool
}

// Scanner reads one body after another; it allocates only while its buffers grow to the largest prompt so far, which
// InspectBytes bounds. The decision is made
//   - at the end of the body;
//   - when Text has reached its cap and nothing can change it, and the model is known;
//   - LookaheadBytes after Text first reached its cap: then tools or a system prompt that come later are not in Text,
//     and a model that comes later is not in Model. The same client writes its members in the same order each time, so
//     the chain of its next turn lacks them too;
//   - or at HoldBytes, in the same way; a medium that is cut counts by its first 4 KB, 8 KB, 16 KB…, as many as came. If
//     nothing of the prompt has come by then, the body is Broken, with NoPrompt.
//
// Of members that come twice the last counts, as in Python, if it comes before the decision. null is as if absent.
// Invalid UTF-8, lone surrogates too, reads as U+FFFD, one for each byte. One UTF-8 byte order mark may come first.
// A body that ends early, has bytes after its value or is not JSON (RFC 8259) is Broken, if that is seen before the
// decision.
type Scanner struct {
	max, lookahead, hold int
	waitSalt             bool
	whole                bool // in tests: do not decide before the end

	status Status
	ended  bool // the body's end was seen
	why    Reason
	off    int // bytes of the body before the chunk in hand
	stopAt int // decide at this offset at the latest
	capped bool

	// The JSON reader (lex.go, string.go, number.go).
	state state
	next  shapeID // of the value to come
	inKey bool
	sink  sink
	esc   uint8 // place within an escape; 0: outside
	hex   rune
	high  rune // a high surrogate that waits for its other half
	pend  [4]byte
	pends int // bytes of pend: an unfinished code point
	num   numState
	value uint64 // of an integer in hand
	exact bool   // value is the number in hand
	spare [17]byte
	word  string // literal in hand
	at    int    // bytes of word, or of the byte order mark, that have come

	// The machine.
	format Format
	ptr    *JSONPointer
	target int // the depth of the frame that holds the pointer's target; -1: not inside it
	depth  int // of the top frame; frame 0 stands for the document
	frames [MaxDepth + 1]frame

	// What it keeps.
	text    []byte // canonical bytes; the slots of open records are not yet in order
	limit   int    // text may grow to this length for now
	slots   []slot
	turns   turns
	mode    mode
	key     capture
	roleBuf capture
	numBuf  capture
	held    *capture // the one that is being filled
	fields  [fieldCount]capture
	have    uint32 // fields and flags that are set
	numbers [numberCount]int64
	known   uint32 // numbers that are set
	digest  xxhash.Digest
	medium  mediumSize
	prompt  Prompt
}

// NewScanner makes a Scanner for bodies of any format. Reset begins the first.
func NewScanner(o Options) *Scanner {
	s := new(Scanner)
	s.init(o)
	return s
}

func (s *Scanner) init(o Options) {
	if o.InspectBytes == 0 {
		o.InspectBytes = DefaultInspectBytes
	}
	s.max = min(max(o.InspectBytes, minInspectBytes), maxInspectBytes) &^ 3
	s.lookahead = max(o.LookaheadBytes, 0)
	s.waitSalt = o.WaitSalt
	switch s.hold = o.HoldBytes; {
	case s.hold < 0:
		s.hold = maxOffset
	case s.hold == 0:
		s.hold = max(DefaultHoldBytes, s.max+min(s.lookahead, maxOffset-s.max))
	}
	s.Reset(None, nil)
}

// Reset begins a body. The pointer is that of Match; it is needed for Pointer alone.
func (s *Scanner) Reset(f Format, p *JSONPointer) {
	if int(f) >= len(rootOf) || f == Pointer && p == nil {
		f = None
	}
	if cap(s.text) > 4*s.max { // what an odd body has blown up
		s.text = nil
	}
	s.status, s.why = More, NoReason
	s.ended, s.off, s.stopAt, s.capped = false, 0, s.hold, false
	s.state, s.inKey, s.sink = startOfBody, false, toNowhere
	s.esc, s.high, s.pends, s.at = 0, 0, 0, 0
	s.format, s.ptr, s.target = f, p, -1
	s.depth, s.next = 0, rootOf[f]
	s.text, s.slots = s.text[:0], s.slots[:0]
	s.limit = s.max
	s.frames[0] = frame{shape: s.next, kind: inDocument, budget: s.max, rank: unranked}
	s.turns, s.mode = turns{leading: true}, noMode
	s.have, s.known = 0, 0
	s.prompt = Prompt{Format: f}
	if f == Pointer && len(p.tokens) == 0 {
		s.openTarget()
	}
}

// Write reads the body's next bytes. It keeps none of them. Once the status is no longer More it does nothing.
func (s *Scanner) Write(chunk []byte) Status {
	i := 0
	for s.status == More {
		end := len(chunk)
		if !s.whole {
			end = min(end, s.stopAt-s.off)
		}
		if i >= end {
			if s.off+i >= s.stopAt && !s.whole {
				s.decideEarly(s.off + i)
			}
			break
		}
		i = s.read(chunk[:end], i)
		// Within a string only its reaching the cap counts, as where a chunk ends must not.
		if len(s.text) >= s.max && s.status == More && !(s.capped && s.state == inString) {
			s.full(s.off + i)
		}
	}
	if s.status == More {
		s.off += i
	}
	return s.status
}

// full is called with the offset at which Text had reached its cap, and at each event after that.
func (s *Scanner) full(at int) {
	if s.whole {
		return
	}
	if !s.capped {
		s.capped = true
		s.stopAt = min(s.hold, at+min(s.lookahead, maxOffset-at))
	}
	if s.settled() {
		s.decide(at)
	}
}

// decideEarly decides where the bounds are reached.
func (s *Scanner) decideEarly(at int) {
	s.decide(at)
	if len(s.text) == 0 {
		s.fail(NoPrompt)
	}
}

// Close says that the body has ended. The status is then Ready or Broken.
func (s *Scanner) Close() Status {
	if s.status != More {
		return s.status
	}
	if s.state == inNumber && s.depth == 0 { // nothing else ends a number that is the whole body
		s.endNumber()
	}
	switch {
	case s.status != More:
	case s.state != endOfBody:
		s.fail(BrokenJSON)
	default:
		s.ended = true
		s.decide(s.off)
		if s.format != None && s.format != ByLoad && s.format != formatUsage && !s.anyPrompt() {
			s.fail(NoPrompt)
		}
	}
	return s.status
}

// Prompt is what the body said. It is valid after Ready and until the next Reset.
func (s *Scanner) Prompt() *Prompt { return &s.prompt }

// Why says why the body is Broken, in one word; "" when it is not.
func (s *Scanner) Why() string { return s.why.String() }

func (s *Scanner) fail(why Reason) {
	s.status, s.why = Broken, why
}
