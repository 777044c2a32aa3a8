package prompt

import (
	"github.com/cespare/xxhash/v2"

	"warmroute/plugin/bytestr"
)

// captureBytes is how much of a short value is kept as it is.
const captureBytes = 256

// capture keeps a short value: a model's name, a key, a number. Of a longer one it keeps the first captureBytes and the
// digest of the rest as 16 hex digits, so that different values stay different in bounded memory.
type capture struct {
	b    []byte
	over bool
}

func (s *Scanner) begin(c *capture) {
	if c.b == nil {
		c.b = make([]byte, 0, captureBytes+16)
	}
	c.b, c.over = c.b[:0], false
}

func (s *Scanner) add(c *capture, p []byte) {
	if room := captureBytes - len(c.b); room > 0 {
		n := min(room, len(p))
		c.b = append(c.b, p[:n]...)
		p = p[n:]
	}
	if len(p) > 0 {
		if !c.over {
			c.over = true
			s.digest.Reset()
		}
		s.digest.Write(p)
	}
}

func (s *Scanner) end(c *capture) {
	if c.over {
		c.b = bytestr.AppendHex(c.b, s.digest.Sum64(), 16)
	}
}

// AppendShort appends a value that is not the body's as a capture would keep it.
func AppendShort(dst []byte, value string) []byte {
	if len(value) <= captureBytes {
		return append(dst, value...)
	}
	dst = append(dst, value[:captureBytes]...)
	return bytestr.AppendHex(dst, xxhash.Sum64String(value[captureBytes:]), 16)
}
