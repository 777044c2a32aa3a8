// Package answers reads what a response tells while it passes, as JSON or as server-sent events, without keeping any of it: the tokens that the
// server counts, and whether its first token has come.
package answers

import (
	"warmroute/plugin/bytestr"
	"warmroute/plugin/runs"
)

// mostUsage is more tokens than any prompt has; the sum of three is an int, of 32 bits in the module, as well.
const mostUsage = 1 << 28

// Usage reads the prompt's size and true cache hit from an answer, as JSON or as server-sent events, without
// keeping any of it. It looks at usage, response.usage (the Responses API's events) and message.usage (Anthropic's
// message_start); of a number that comes again the last counts. Most events have no usage: one that comes in a single
// chunk is parsed only where it may have. The zero Usage needs a Reset.
type Usage struct {
	json    usageJSON
	sse     bool
	line    lineState
	matched int  // bytes of "data:" that the line has begun with
	marked  bool // [DONE] has come
}

type lineState uint8

const (
	lineStart lineState = iota // within what may become "data:"
	lineData                   // within an event's data
	lineOther
)

// Reset begins an answer: server-sent events, or one JSON value.
func (u *Usage) Reset(sse bool) {
	u.json.begin()
	u.json.known, u.json.own = 0, false
	u.sse, u.line, u.matched, u.marked = sse, lineStart, 0, false
}

// Write reads the answer's next bytes.
func (u *Usage) Write(chunk []byte) {
	if !u.sse {
		u.json.read(chunk)
		return
	}
	for len(chunk) > 0 {
		switch u.line {
		case lineStart:
			chunk = u.readStart(chunk)
		default:
			n := runs.Line(chunk)
			if u.line == lineData {
				u.json.read(chunk[:n])
			}
			if n == len(chunk) {
				return
			}
			u.line, u.matched = lineStart, 0
			chunk = chunk[n+1:]
		}
	}
}

// readStart reads up to the end of "data:" or to where the line is another one.
func (u *Usage) readStart(chunk []byte) []byte {
	const data = "data:"
	for i, c := range chunk {
		if c == '\n' || c == '\r' {
			u.matched = 0
			continue
		}
		if c != data[u.matched] {
			u.line = lineOther
			return chunk[i:]
		}
		if u.matched++; u.matched == len(data) {
			u.json.begin()
			u.line = lineData
			line := chunk[i+1:]
			if !mayTell(line) {
				u.line = lineOther
			}
			u.marked = u.marked || isMark(line)
			return line
		}
	}
	return nil
}

// mayTell reports that the line at the beginning of b continues after b, or that it has a name "usage", perhaps written with
// escapes.
func mayTell(b []byte) bool {
	const usage, disguise = 0x22656761737522, 0x755C // "usage" and \u, little endian
	i := 0
	for ; i+8 <= len(b); i++ {
		w := bytestr.Load64(b, i)
		if c := byte(w); c == '\n' || c == '\r' {
			return false
		}
		if w<<8>>8 == usage || w&0xFFFF == disguise {
			return true
		}
	}
	for ; i < len(b); i++ {
		if b[i] == '\n' || b[i] == '\r' {
			return false
		}
	}
	return true
}

// isMark reports that an event is the mark which ends OpenAI's streams. Servers write it in one piece.
func isMark(line []byte) bool {
	if len(line) > 0 && line[0] == ' ' {
		line = line[1:]
	}
	return len(line) >= 6 && string(line[:6]) == "[DONE]"
}

// Told says that a stream has told all that it has to tell, though its end has not come: clients leave at its last event. That
// is [DONE]; in the Responses API, which has no such mark, the event with what was cached, and in Anthropic's messages the one with usage of its
// own (message_delta): some servers say what was cached in the message with which the stream begins.
func (u *Usage) Told() bool {
	if u.marked || !u.sse {
		return u.marked
	}
	return u.has(nInput) && (u.has(nInputCached) || u.has(nCacheRead) && u.json.own)
}

// Output is how many tokens the answer has; 0: it does not say.
func (u *Usage) Output() int {
	if n := u.number(nCompletion); n > 0 {
		return n
	}
	return u.number(nOutput)
}

// Cached is the prompt's size and how much of it came from a prefix cache, in tokens as the server counts them. ok is
// false if the response does not have both; the size may be known even so (a server of vLLM's leaves the details out,
// too, if nothing was cached). Anthropic's input_tokens exclude the cached ones, so its three numbers are summed.
func (u *Usage) Cached() (promptTokens, cachedTokens int, ok bool) {
	switch {
	case u.has(nPrompt):
		return u.number(nPrompt), u.number(nPromptCached), u.has(nPromptCached)
	case !u.has(nInput):
		return 0, 0, false
	case u.has(nInputCached):
		return u.number(nInput), u.number(nInputCached), true
	case u.has(nCacheRead) || u.has(nCacheCreated):
		return u.number(nInput) + u.number(nCacheRead) + u.number(nCacheCreated), u.number(nCacheRead), true
	}
	return u.number(nInput), 0, false
}

// has and number are no closures of Cached: TinyGo would allocate what those share.
func (u *Usage) has(i uint) bool { return u.json.known>>i&1 != 0 }

func (u *Usage) number(i uint) int {
	if n := u.json.numbers[i]; u.has(i) && n <= mostUsage {
		return int(n)
	}
	return 0
}
