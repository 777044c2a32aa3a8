package prompt

import (
	"math"

	"github.com/cespare/xxhash/v2"

	"warmroute/plugin/prefix"
	"warmroute/plugin/why"
)

// Defaults of Options, and their bounds.
const (
	DefaultKeepBytes = 64 << 10
	DefaultHoldBytes = 2 << 20
	minKeepBytes     = 64
	maxKeepBytes     = 1 << 30

	// MaxDepth is how deep objects and arrays may nest; the body's own object is the first level.
	MaxDepth = 64

	// window is how many canonical bytes are hashed at a time, and maxWindow how many are kept at most until their order is
	// known (see final), as in a turn whose role comes after its content.
	window    = 32 << 10
	maxWindow = 256 << 10

	// usualMemory is more than long tools, system prompt and turns take (Memory). What an odd body has blown up beyond that is given back.
	usualMemory = 512 << 10

	maxOffset = math.MaxInt

	// maxBytes is how much of a body is read, of a request's also after its decision: an int has 32 bits in the module, and no
	// prompt is that long.
	maxBytes = 1 << 28
)

// Options bound what a Scanner reads and keeps.
type Options struct {
	// KeepBytes is how much of the prompt's beginning is kept as Text, rounded down to whole token ids (4 bytes); 0: the
	// default. All of the prompt is hashed, whatever is kept.
	KeepBytes int
	// HoldBytes is how many bytes of the body are read before the decision, at most. The proxy holds them until then, so
	// it must be below the proxy's buffer limit. 0: DefaultHoldBytes; negative: no bound.
	HoldBytes int
	// BlockBytes is the size of the first blocks of a part; 0: the default.
	BlockBytes int
}

// Scanner reads one body after another; it allocates only while its buffers grow to the largest prompt so far. Of a
// prompt it keeps its beginning, and 12 bytes for each block. The decision is made at the end of the body, at HoldBytes, or
// when Decide asks for it; then the Scanner reads on, so that in the end all of the prompt has been hashed.
//
// Members that come after the decision but stand before what came earlier (tools or a system prompt after the messages) are
// left out, and a model that comes later is not in Model. The same client writes its members in the same order each time,
// so the chain of its next turn lacks them too. If the decision falls within a medium, Text has the digest of its first
// 4 KB, 8 KB, 16 KB…, as many as came. If nothing of the prompt has come by HoldBytes, the body is Broken, with NoPrompt.
//
// Of members that come twice the last counts, as in Python, if it comes before the decision. null counts as absent.
// Invalid UTF-8, lone surrogates too, reads as U+FFFD, one for each byte. One UTF-8 byte order mark may come first.
// A body that ends early, has bytes after its value or is not JSON (RFC 8259) is Broken, if that is seen before the
// decision.
type Scanner struct {
	keep, hold, unit int

	status  Status // of the reading; what Write returns depends on decided, too
	decided bool
	ended   bool // the body's end was seen
	why     why.Code
	off     int // bytes of the body before the current chunk
	work    int

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
	value uint64 // of the current integer
	exact bool   // value is the current number
	spare [mediumFrame]byte
	word  string // current literal
	at    int    // bytes of word, of the byte order mark, or of billing, that have come

	// The machine.
	format Format
	ptr    *JSONPointer
	target int // the depth of the frame that holds the pointer's target; -1: not inside it
	depth  int // of the top frame; frame 0 stands for the document
	frames [MaxDepth + 1]frame

	// What it keeps.
	text    []byte // canonical bytes of the current part whose order may still change, at most 2 × maxWindow
	base    int    // bytes of that part before text
	room    int    // how long text may become before it is drained
	parts   [partCount]section
	late    bool // the current part does not count
	out     []byte
	slots   []slot
	turns   turns
	opened  bool // the first turn is not the system's, or has ended
	cut     bool // the decision was made within a system prompt
	mode    mode
	key     capture
	roleBuf capture
	numBuf  capture
	held    *capture // the one that is being filled
	unsure  bool     // the current turn has a frameUnsure
	fields  [fieldCount]capture
	have    uint32 // fields and flags that are set
	numbers [numberCount]int64
	known   uint32 // numbers that are set
	digest  xxhash.Digest
	medium  mediumSize
	media   int // how many have ended
	prompt  Prompt
}

// NewScanner makes a Scanner for bodies of any format. Reset begins the first.
func NewScanner(o Options) *Scanner {
	s := new(Scanner)
	s.init(o)
	return s
}

func (s *Scanner) init(o Options) {
	if o.KeepBytes == 0 {
		o.KeepBytes = DefaultKeepBytes
	}
	s.keep = min(max(o.KeepBytes, minKeepBytes), maxKeepBytes) &^ 3
	if s.unit = o.BlockBytes; s.unit == 0 {
		s.unit = prefix.DefaultBlockBytes
	}
	switch s.hold = o.HoldBytes; {
	case s.hold < 0:
		s.hold = maxOffset
	case s.hold == 0:
		s.hold = DefaultHoldBytes
	}
	s.Reset(None, nil)
}

// Reset begins a body. The pointer is that of Match; it is needed for Pointer alone.
func (s *Scanner) Reset(f Format, p *JSONPointer) {
	if int(f) >= len(rootOf) || f == Pointer && p == nil {
		f = None
	}
	s.status, s.why = More, ""
	s.decided, s.ended, s.off = false, false, 0
	s.state, s.inKey, s.sink = startOfBody, false, toNowhere
	s.esc, s.high, s.pends, s.at, s.unsure = 0, 0, 0, 0, false
	s.format, s.ptr, s.target = f, p, -1
	s.depth, s.next = 0, rootOf[f]
	if cap(s.text) > 4*window { // what an odd body has blown up
		s.text = nil
	}
	s.text, s.base, s.room, s.late, s.slots = s.text[:0], 0, window, false, s.slots[:0]
	blown := s.Memory() > max(usualMemory, 2*s.keep)
	for i := range s.parts {
		part := &s.parts[i]
		if part.state, part.kept = absent, part.kept[:0]; blown {
			part.kept = nil
		}
	}
	s.frames[0] = frame{shape: s.next, kind: inDocument, rank: unranked}
	s.turns, s.mode, s.opened, s.cut = turns{leading: true}, noMode, false, false
	s.have, s.known, s.media = 0, 0, 0
	s.prompt = Prompt{Format: f, BlockBytes: s.unit}
	if f == Pointer && len(p.tokens) == 0 {
		s.openTarget()
	}
}

// Write reads the body's next bytes. It keeps none of them. After Ready it continues to read the prompt; after Broken it does
// nothing.
func (s *Scanner) Write(chunk []byte) Status {
	for i := 0; i < len(chunk) && s.status == More; {
		end := len(chunk)
		if !s.decided {
			end = min(end, s.hold-s.off)
		}
		i = s.read(chunk[:end], i)
		if i == end && !s.decided && s.off+i == s.hold && s.status == More {
			s.decideAtHold(s.off + i)
		}
	}
	if s.off += len(chunk); s.off > maxBytes && s.status == More {
		s.fail(why.BrokenJSON)
	}
	return s.told()
}

// told is the status for the caller: a decision is final, whatever follows.
func (s *Scanner) told() Status {
	if s.decided {
		return Ready
	}
	return s.status
}

// Work counts what has been read besides plain text, of all bodies: signWork for each name, value, and sign between them; 1 for each escape in a
// string that is not a text of the prompt, or for each of its bytes, if it is not of one letter. 1 takes 5 to 17 ns in V8.
func (s *Scanner) Work() int { return s.work }

// Reads says whether Write still reads.
func (s *Scanner) Reads() bool { return s.status == More }

// Close ends the body. The status is then Ready or Broken.
func (s *Scanner) Close() Status {
	if s.status != More {
		return s.told()
	}
	if s.state == inNumber && s.depth == 0 { // nothing else ends a number that is the whole body
		s.endNumber()
	}
	switch {
	case s.status != More:
	case s.state != endOfBody:
		s.fail(why.BrokenJSON)
	default:
		s.status, s.ended = Ready, true
		if s.decided {
			s.collect() // what came after the decision
			s.flags()
			break
		}
		s.decide(s.off)
		if s.format != None && s.format != ByLoad && !s.anyPrompt() {
			s.decided = false
			s.fail(why.NoPrompt)
		}
	}
	return s.told()
}

// Prompt is what the body says. It is valid from Ready to the next Reset; what is read after the decision makes its chain
// longer, until it is whole.
func (s *Scanner) Prompt() *Prompt { return &s.prompt }

// Model is the body's model as far as it has come, whatever else is wrong with the body; empty: none has come yet.
func (s *Scanner) Model() []byte { return s.field(fModel) }

// Previous is the name of the response that a body of the Responses API continues, which its server keeps, likewise; empty: of none.
func (s *Scanner) Previous() []byte {
	if s.format != Responses {
		return nil
	}
	return s.field(fPreviousID)
}

// Why says why the body is Broken; "" when it is not.
func (s *Scanner) Why() why.Code { return s.why }

func (s *Scanner) fail(code why.Code) {
	s.status, s.why = Broken, code
}
