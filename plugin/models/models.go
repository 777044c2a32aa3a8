// Package models reads a replica's list of models, GET /v1/models: OpenAI's form, as vLLM, SGLang and TGI serve it. Each element
// of data has an id, and a LoRA adapter also the parent that it belongs to. The reader works on pieces of any size, builds no tree,
// and keeps the keys of at most Max names.
package models

import "warmroute/plugin/exposition"

const (
	// Max bounds the models that are kept of one list.
	Max = 256

	maxName  = 256 // bytes; longer names are skipped
	maxDepth = 64
)

// Model is one name that a replica answers to.
type Model uint32

// Key is exposition.Adapter of the name.
func (m Model) Key() uint32 { return uint32(m) | 1 }

// IsAdapter says whether it has a parent.
func (m Model) IsAdapter() bool { return m&1 == 0 }

// Of is the model of that name.
func Of(name []byte, adapter bool) Model {
	m := Model(exposition.Adapter(name)) // is odd
	if adapter {
		m--
	}
	return m
}

// Reader reads one list. The zero value is ready; Reset prepares it for the next.
type Reader struct {
	list   []Model
	depth  int
	arrays uint64 // bit d: the bracket at depth d+1 is an array
	broken bool
	begun  bool
	ended  bool
	listed bool // data was there

	inString, escaped bool
	hex               int  // digits of a \u escape to come
	wantsKey          bool // the next string is a member's name
	field             field
	text              [maxName]byte
	n                 int // of text; above maxName: too long

	inData  bool // within the array data
	id      [maxName]byte
	idLen   int
	adapter bool
}

// field is the member whose value is to come.
type field uint8

const (
	other field = iota
	data
	id
	parent
)

// The depths of what is read: {"data": [{"id": …}]}.
const (
	atPage = 1 + iota
	atData
	atModel
)

// Reset forgets the list and keeps the memory.
func (r *Reader) Reset() { *r = Reader{list: r.list[:0]} }

// Write reads the next piece.
func (r *Reader) Write(piece []byte) {
	for _, c := range piece {
		switch {
		case r.broken || len(r.list) == Max:
			return
		case r.inString:
			r.stringByte(c)
		default:
			r.sign(c)
		}
	}
}

// Close ends the list: its models, valid until the next Reset; false if it is none. Behind the last model that is kept nothing is read.
func (r *Reader) Close() ([]Model, bool) {
	return r.list, !r.broken && r.ended && r.listed || len(r.list) == Max
}

func (r *Reader) sign(c byte) {
	switch c {
	case ' ', '\t', '\r', '\n', ':':
		return
	}
	if r.ended || !r.begun && c != '{' {
		r.broken = true
		return
	}
	switch c {
	case '"':
		r.inString, r.n = true, 0
	case '{', '[':
		r.open(c == '[')
	case '}', ']':
		r.close(c == ']')
	case ',':
		r.wantsKey = r.depth > 0 && !r.isArray()
	}
}

func (r *Reader) isArray() bool { return r.arrays>>(r.depth-1)&1 == 1 }

func (r *Reader) open(array bool) {
	if r.depth == maxDepth {
		r.broken = true
		return
	}
	switch {
	case array && r.depth == atPage && r.field == data:
		r.inData, r.listed = true, true
	case !array && r.depth == atData && r.inData:
		r.idLen, r.adapter = 0, false
	}
	r.arrays &^= 1 << r.depth
	if array {
		r.arrays |= 1 << r.depth
	}
	r.depth++
	r.begun, r.wantsKey, r.field = true, !array, other
}

func (r *Reader) close(array bool) {
	if r.depth == 0 || array != r.isArray() {
		r.broken = true
		return
	}
	if r.depth == atModel && r.inData && r.idLen > 0 && len(r.list) < Max {
		r.list = append(r.list, Of(r.id[:r.idLen], r.adapter))
	}
	if r.depth == atData {
		r.inData = false
	}
	r.depth--
	r.ended, r.wantsKey, r.field = r.depth == 0, false, other
}

func (r *Reader) stringByte(c byte) {
	switch {
	case r.hex > 0: // no name of a model is written so; it becomes one that nobody asks for
		r.hex--
	case r.escaped:
		r.escaped = false
		if c == 'u' {
			r.hex = 4
			c = '?'
		}
		r.keep(c)
	case c == '\\':
		r.escaped = true
	case c == '"':
		r.inString = false
		r.stringEnds()
	default:
		r.keep(c)
	}
}

func (r *Reader) keep(c byte) {
	if r.n < maxName {
		r.text[r.n] = c
	}
	r.n = min(r.n+1, maxName+1)
}

func (r *Reader) stringEnds() {
	text := r.text[:min(r.n, maxName)]
	if r.wantsKey {
		r.wantsKey = false
		r.field = r.fieldOf(string(text))
		return
	}
	switch {
	case r.depth != atModel || !r.inData:
	case r.field == id && r.n <= maxName:
		r.idLen = copy(r.id[:], text)
	case r.field == parent:
		r.adapter = r.n > 0
	}
}

// fieldOf is the member of that name at this depth.
func (r *Reader) fieldOf(name string) field {
	switch {
	case r.depth == atPage && name == "data":
		return data
	case r.depth == atModel && r.inData && name == "id":
		return id
	case r.depth == atModel && r.inData && name == "parent":
		return parent
	}
	return other
}
