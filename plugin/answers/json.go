package answers

import (
	"math"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/runs"
)

// usageJSON reads the numbers of usage from one JSON value in pieces of any size. It goes into the objects that lead there, by the
// names of their members, and passes over all else: strings in runs, objects and arrays by their brackets. What it passes over is not
// checked; of what is no JSON it may read anything, or nothing.
type usageJSON struct {
	state  usageState
	value  bool // the member's name has come
	exact  bool // number is the current one
	depth  int  // open objects and arrays
	inside int  // those that lead to usage, from the outermost on
	places [4]usagePlace
	name   [27]byte // as long as the longest that is looked for
	length int      // of name; more than it has room for: it is none of them
	escape int      // place within an escape; 0: outside
	digits rune
	here   usageMember // what the member's value is

	number  uint64
	numbers [usageNumbers]int64
	known   uint32 // numbers that are set
	own     bool   // usage has come that is a value's own, and not its response's or message's
}

type usageState uint8

const (
	usageBefore  usageState = iota // of the value
	usageBetween                   // brackets, and what is between strings
	usageText                      // within a string that is passed over
	usageName
	usageNumber
	usageAfter // of the value, or there is none
)

// byteOrderMark may stand before the value.
const byteOrderMark = "\xef\xbb\xbf"

// Places within an escape: its letter, and the digits of \u.
const escLetter, escFirstDigit, escLastDigit = 1, 2, 5

// begin begins a value. The numbers of those before stay.
func (u *usageJSON) begin() { u.state, u.depth, u.inside, u.escape = usageBefore, 0, 0, 0 }

// read reads the value's next bytes.
func (u *usageJSON) read(b []byte) {
	for i := 0; i < len(b); {
		switch c := b[i]; u.state {
		case usageBetween:
			if u.here.number < 0 { // nothing but brackets, quotes and commas says anything
				if i = betweenRun(b, i); i == len(b) {
					return
				}
				c = b[i]
			}
			i++
			u.between(c)
		case usageText:
			if u.escape > 0 {
				u.escape = 0
				i++
				continue
			}
			if i = runs.Plain(b, i); i == len(b) {
				return
			}
			switch b[i] {
			case '"':
				u.state = usageBetween
			case '\\':
				u.escape = 1
			}
			i++
		case usageName:
			if u.length == 0 && u.escape == 0 {
				if n := runs.Plain(b, i); n < len(b) && b[n] == '"' { // all of it, as nearly always
					u.named(b[i:n])
					i = n + 1
					continue
				}
			}
			i++
			u.spell(c)
		case usageNumber:
			if u.count(c) {
				i++
			}
		case usageBefore:
			i++
			switch c {
			case '{':
				u.enter(inAnswer)
			case ' ', '\n', '\t', '\r', byteOrderMark[0], byteOrderMark[1], byteOrderMark[2]:
			default:
				u.state = usageAfter
			}
		default:
			return
		}
	}
}

// enter goes into an object.
func (u *usageJSON) enter(at usagePlace) {
	u.own = u.own || at == inUsage && u.inside == 1
	u.places[u.inside] = at
	u.inside++
	u.depth++
	u.state, u.value, u.here = usageBetween, false, notUsage
}

// between reads a byte outside strings and the numbers that count.
func (u *usageJSON) between(c byte) {
	followed := u.depth == u.inside
	switch c {
	case '"':
		u.state = usageText
		if followed && !u.value {
			u.state, u.length = usageName, 0
		}
	case '{', '[':
		if c == '{' && followed && u.here.place != inAnswer {
			u.enter(u.here.place)
		} else {
			u.depth++
		}
	case '}', ']':
		if u.depth--; followed {
			u.inside--
			u.value, u.here = true, notUsage
		}
		if u.depth == 0 {
			u.state = usageAfter
		}
	case ',':
		if followed {
			u.value, u.here = false, notUsage
		}
	case ':', ' ', '\n', '\t', '\r':
	default:
		switch {
		case !followed || u.here.number < 0:
		case c-'0' <= 9:
			u.state, u.number, u.exact = usageNumber, uint64(c-'0'), true
		default: // a sign, or no number
			u.here = notUsage
		}
	}
}

// betweenClass are the bytes between strings that may say something where no number is read.
var betweenClass = func() (t [256]bool) {
	for _, c := range `"{}[],` {
		t[c] = true
	}
	return
}()

// betweenRun returns where the next of them is.
func betweenRun(b []byte, i int) int {
	for i < len(b) && !betweenClass[b[i]] {
		i++
	}
	return i
}

// count reads a byte of a number, and says whether it belongs to it.
func (u *usageJSON) count(c byte) bool {
	switch {
	case c-'0' <= 9:
		if u.number > math.MaxInt64/10-1 {
			u.exact = false
		}
		u.number = u.number*10 + uint64(c-'0')
		return true
	case c == '.' || c|0x20 == 'e' || c == '+' || c == '-':
		u.exact = false
		return true
	}
	if u.exact {
		u.numbers[u.here.number] = int64(u.number)
		u.known |= 1 << u.here.number
	}
	u.state = usageBetween
	return false
}

// spell reads a byte of a name.
func (u *usageJSON) spell(c byte) {
	switch {
	case u.escape >= escFirstDigit:
		if c > '9' {
			c = c | 0x20 - 'a' + 10 + '0'
		}
		u.digits = u.digits<<4 | rune(c-'0')
		if u.escape++; u.escape > escLastDigit {
			u.escape = 0
			u.letter(u.digits)
		}
	case u.escape == escLetter:
		u.escape, u.digits = 0, 0
		if c == 'u' {
			u.escape = escFirstDigit
		} else {
			u.letter(-1) // none of the names has such a letter
		}
	case c == '\\':
		u.escape = escLetter
	case c == '"':
		if u.length > len(u.name) {
			u.length = 0 // none of the names is that long, and none is empty
		}
		u.named(u.name[:u.length])
	default:
		u.letter(rune(c))
	}
}

func (u *usageJSON) letter(c rune) {
	if u.length < len(u.name) && c > 0 && c < 0x80 {
		u.name[u.length] = byte(c)
		u.length++
	} else {
		u.length = len(u.name) + 1
	}
}

// named ends a name and finds what it means.
func (u *usageJSON) named(name []byte) {
	u.state, u.value = usageBetween, true
	members := usageMembers[u.places[u.inside-1]]
	for i := range members {
		if bytestr.Equal(name, members[i].name) {
			u.here = members[i]
			return
		}
	}
}
