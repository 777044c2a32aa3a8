package host

import (
	"encoding/binary"
	"slices"
)

// A Header is a name and a value. Names inside the proxy are lower case; ":method", ":path", ":authority" and
// ":status" are entries like any other.
type Header struct {
	Name, Value string
}

// Headers are the headers or trailers of a message, in order; a name may come more than once.
type Headers []Header

// Get is the first value of name, which must be lower case.
func (hs Headers) Get(name string) (value string, found bool) {
	for i := range hs {
		if hs[i].Name == name {
			return hs[i].Value, true
		}
	}
	return "", false
}

// Set gives name, in lower case, the one value: at the end as Envoy does, but that ":path" and its like stay where they are.
func (hs *Headers) Set(name, value string) {
	if i := hs.pseudo(name); i >= 0 {
		(*hs)[i].Value = value
		return
	}
	hs.Del(name)
	*hs = append(*hs, Header{name, value})
}

// Add adds a value to name, in lower case; that of ":path" and its like becomes a list with commas, as in Envoy.
func (hs *Headers) Add(name, value string) {
	if i := hs.pseudo(name); i >= 0 {
		(*hs)[i].Value += "," + value
		return
	}
	*hs = append(*hs, Header{name, value})
}

// pseudo is the index of name, if it begins with a colon and is there, or -1.
func (hs *Headers) pseudo(name string) int {
	if name == "" || name[0] != ':' {
		return -1
	}
	return slices.IndexFunc(*hs, func(h Header) bool { return h.Name == name })
}

// Del removes every value of name, in lower case.
func (hs *Headers) Del(name string) {
	*hs = slices.DeleteFunc(*hs, func(h Header) bool { return h.Name == name })
}

// lowered is a copy of hs with names in lower case.
func (hs Headers) lowered() Headers {
	out := make(Headers, len(hs), len(hs)+4)
	for i, h := range hs {
		out[i] = Header{lower(h.Name), h.Value}
	}
	return out
}

// lower is name with the letters of ASCII in lower case, other bytes as they are; it is not copied if it already is so.
func lower(name string) string {
	for i := range len(name) {
		if isUpper(name[i]) {
			return string(lowerKey([]byte(name)))
		}
	}
	return name
}

// lowerKey is lower for bytes.
func lowerKey(key []byte) []byte {
	if !slices.ContainsFunc(key, isUpper) {
		return key
	}
	lowered := slices.Clone(key)
	for i, c := range lowered {
		if isUpper(c) {
			lowered[i] = c + ('a' - 'A')
		}
	}
	return lowered
}

func isUpper(c byte) bool { return 'A' <= c && c <= 'Z' }

// The serialization of maps (specification, section Serialization): the number of pairs, the sizes of each name
// and value, then each name and value with a NUL after it; integers have 32 bits, little endian.

func (hs Headers) serializedSize() int {
	if len(hs) == 0 {
		return 0
	}
	size := 4 + 8*len(hs)
	for _, h := range hs {
		size += len(h.Name) + 1 + len(h.Value) + 1
	}
	return size
}

// serialize fills b, which has serializedSize bytes.
func (hs Headers) serialize(b []byte) {
	if len(hs) == 0 {
		return
	}
	binary.LittleEndian.PutUint32(b, uint32(len(hs)))
	sizes, text := b[4:4+8*len(hs)], b[4+8*len(hs):]
	for _, h := range hs {
		binary.LittleEndian.PutUint32(sizes, uint32(len(h.Name)))
		binary.LittleEndian.PutUint32(sizes[4:], uint32(len(h.Value)))
		sizes = sizes[8:]
		for _, s := range [2]string{h.Name, h.Value} {
			n := copy(text, s)
			text[n] = 0
			text = text[n+1:]
		}
	}
}

// parseHeaders reads a serialized map, with names in lower case. As in Envoy, whatever is malformed reads as no
// headers at all.
func parseHeaders(b []byte) Headers {
	if len(b) < 4 {
		return nil
	}
	count := uint64(binary.LittleEndian.Uint32(b))
	if count*8 > uint64(len(b)-4) {
		return nil
	}
	sizes, text := b[4:4+8*count], b[4+8*count:]
	hs := make(Headers, count, count+4)
	for i := range hs {
		var parts [2]string
		for k := range parts {
			size := uint64(binary.LittleEndian.Uint32(sizes))
			sizes = sizes[4:]
			if size >= uint64(len(text)) || text[size] != 0 {
				return nil
			}
			parts[k] = string(text[:size])
			text = text[size+1:]
		}
		hs[i] = Header{lower(parts[0]), parts[1]}
	}
	if len(text) != 0 {
		return nil
	}
	return hs
}
