package trace

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strconv"
)

// BytesPerToken is the length of a generated token in bytes: the replicas' tokenizer cuts text every 4 bytes.
const BytesPerToken = 4

// Tokens is how many tokens so many bytes of text are, by the length that replays assume.
func Tokens(bytes int) int { return (bytes + BytesPerToken - 1) / BytesPerToken }

// Maker turns requests given as block ids into JSON bodies with text. A replica that cuts the text every
// BytesPerToken bytes gets the same tokens from the same ids. The text of an id depends on the id and Seed
// alone: equal prefixes of ids give equal prefixes of text, and different ids differ from the first token on,
// except with a probability of 1/1024. The text is ASCII that JSON need not escape. Not safe for concurrent use.
type Maker struct {
	Model string
	Seed  uint64
	Chat  bool // one user message; else a completion, whose blocks fall on the tokenizer's boundaries
	Whole bool // no stream is asked for; of a request that has a body, too
	model []byte
}

// syllables are the 1024 tokens of generated text: consonant, vowel, consonant, space.
var syllables = func() (out [1024]uint32) {
	const consonants, vowels = "bcdfghjklmnprstv", "aeio"
	for i := range out {
		out[i] = uint32(consonants[i&15]) | uint32(vowels[i>>4&3])<<8 | uint32(consonants[i>>6])<<16 | ' '<<24
	}
	return out
}()

// AppendText appends the first tokens tokens of a block's text. They are drawn by splitmix64 (Steele, Lea,
// Flood 2014), six to a number.
func (m *Maker) AppendText(dst []byte, id uint32, tokens int) []byte {
	state := m.Seed ^ (uint64(id)+1)*0xD1342543DE82EF95
	at := len(dst)
	size := tokens * BytesPerToken
	if cap(dst)-at < size {
		dst = append(make([]byte, 0, 2*(at+size)), dst...)
	}
	dst = dst[:at+size]
	for out := dst[at:]; len(out) > 0; {
		state += 0x9E3779B97F4A7C15
		z := mix(state)
		if len(out) >= 6*BytesPerToken {
			six := (*[6 * BytesPerToken]byte)(out)
			binary.LittleEndian.PutUint32(six[0:], syllables[z&1023])
			binary.LittleEndian.PutUint32(six[4:], syllables[z>>10&1023])
			binary.LittleEndian.PutUint32(six[8:], syllables[z>>20&1023])
			binary.LittleEndian.PutUint32(six[12:], syllables[z>>30&1023])
			binary.LittleEndian.PutUint32(six[16:], syllables[z>>40&1023])
			binary.LittleEndian.PutUint32(six[20:], syllables[z>>50&1023])
			out = out[len(six):]
			continue
		}
		for len(out) > 0 {
			binary.LittleEndian.PutUint32(out, syllables[z&1023])
			out, z = out[BytesPerToken:], z>>10
		}
	}
	return dst
}

// mix is the output function of splitmix64.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// Path is the API path for the bodies that Append makes.
func (m *Maker) Path() string {
	if m.Chat {
		return "/v1/chat/completions"
	}
	return "/v1/completions"
}

// Append appends the JSON body of a request of trace t, and returns it with the API's path. If the request has
// a body, that is appended. There is no allocation once dst is large enough, but for a body from which a stream is taken.
func (m *Maker) Append(dst []byte, t *Trace, r *Request) (body []byte, path string) {
	if r.Body != nil {
		if m.Whole {
			return append(dst, withoutStream(r.Body)...), r.Path
		}
		return append(dst, r.Body...), r.Path
	}
	if m.model == nil {
		m.model, _ = json.Marshal(m.Model) // a string cannot fail
	}
	dst = append(dst, `{"model":`...)
	dst = append(dst, m.model...)
	if m.Chat {
		dst = append(dst, `,"messages":[{"role":"user","content":"`...)
	} else {
		dst = append(dst, `,"prompt":"`...)
	}
	left := r.InputTokens
	for _, s := range r.Blocks {
		for i := range s.N {
			n := min(left, t.BlockSize)
			dst = m.AppendText(dst, s.First+i, n)
			left -= n
		}
	}
	if m.Chat {
		dst = append(dst, `"}]`...)
	} else {
		dst = append(dst, '"')
	}
	dst = append(dst, `,"max_tokens":`...)
	dst = strconv.AppendInt(dst, int64(r.OutputTokens), 10)
	if m.Whole {
		return append(dst, '}'), m.Path()
	}
	dst = append(dst, `,"stream":true,"stream_options":{"include_usage":true}}`...)
	return dst, m.Path()
}

// withoutStream is a body that asks for a whole answer, its other members as they are; one that is no JSON object stays as it is.
func withoutStream(body []byte) []byte {
	members := json.NewDecoder(bytes.NewReader(body))
	if open, err := members.Token(); err != nil || open != json.Delim('{') {
		return body
	}
	out := []byte("{")
	for members.More() {
		name, err := members.Token()
		if err != nil {
			return body
		}
		var value json.RawMessage
		if err := members.Decode(&value); err != nil {
			return body
		}
		if name == "stream" || name == "stream_options" {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		quoted, _ := json.Marshal(name) // a string cannot fail
		out = append(append(append(out, quoted...), ':'), value...)
	}
	return append(out, '}')
}
