package render

import (
	"encoding/binary"
	"unsafe"
)

// The tokenizer has no vocabulary: each 4 bytes of UTF-8 are one token, cut at fixed positions from the start of a text,
// and the token's number is those bytes. Byte-pair vocabularies reach about four bytes per token on English. The
// properties that routing needs hold: equal text prefixes give equal token prefixes, and an answer that is sent back as
// a turn gives the tokens that were generated.
//
// BytesPerToken is their length.
const BytesPerToken = 4

// Special tokens are a chat template's markers. Their top byte, 0xFF, is in no UTF-8 text.
const (
	tokenBegin uint32 = 0xFF000001 + iota // start of the prompt
	tokenRole                             // a role's name follows
	tokenBody                             // the turn's text follows
	tokenEnd                              // end of the turn
	tokenMedia                            // an image or a sound follows, by the hash of its bytes or URL
)

// AppendText appends the tokens of text.
func AppendText(dst []uint32, text string) []uint32 {
	return appendBytes(dst, unsafe.Slice(unsafe.StringData(text), len(text)))
}

func appendBytes(dst []uint32, data []byte) []uint32 {
	for ; len(data) >= BytesPerToken; data = data[BytesPerToken:] {
		dst = append(dst, binary.LittleEndian.Uint32(data))
	}
	if len(data) > 0 {
		var last [BytesPerToken]byte
		copy(last[:], data)
		dst = append(dst, binary.LittleEndian.Uint32(last[:]))
	}
	return dst
}

const (
	consonants = "bcdfghjklmnprstv" // 16
	vowels     = "aeio"             // 4
)

// Answer is the model's answer to a prompt: n tokens of syllables, each 4 ASCII bytes that need no
// escaping in JSON, drawn by splitmix64 (Steele, Lea, Flood 2014) from the prompt's hash and the seed.
func Answer(prompt uint64, seed int64, n int) string {
	out := make([]byte, 0, n*BytesPerToken)
	state := prompt ^ uint64(seed)*0x9E3779B97F4A7C15
	for range n {
		state += 0x9E3779B97F4A7C15
		z := state
		z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
		z = (z ^ z>>27) * 0x94D049BB133111EB
		z ^= z >> 31
		out = append(out, consonants[z&15], vowels[z>>4&3], consonants[z>>6&15], ' ')
	}
	return string(out)
}
