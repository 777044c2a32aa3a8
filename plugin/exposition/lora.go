package exposition

import (
	"bytes"

	"warmroute/plugin/bytestr"
)

// MaxAdapters bounds the LoRA adapters that are kept of one page: those that were used last.
const MaxAdapters = 16

// Adapter is the key of a LoRA adapter's name, never 0.
func Adapter(name []byte) uint32 { return uint32(bytestr.Hash(0, name)) | 1 }

// adapters are those of vllm:lora_requests_info. Each of its series names the adapters that ran and that waited at a time, which
// is its value; the page keeps the series of before. So the series together say when each adapter was used last.
type adapters struct {
	list [MaxAdapters]adapterUse
	n    int
}

type adapterUse struct {
	key uint32
	at  float64 // as the page has it, seconds
}

// add takes names with commas between them.
func (a *adapters) add(names []byte, at float64) {
	for len(names) > 0 {
		end := bytes.IndexByte(names, ',')
		name := names
		if end >= 0 {
			name, names = names[:end], names[end+1:]
		} else {
			names = nil
		}
		if name = bytes.TrimSpace(name); len(name) > 0 {
			a.use(Adapter(name), at)
		}
	}
}

// use puts an adapter in its place, the last used first.
func (a *adapters) use(key uint32, at float64) {
	i := 0
	for i < a.n && a.list[i].key != key {
		i++
	}
	switch {
	case i < a.n && a.list[i].at >= at:
		return
	case i == MaxAdapters && a.list[i-1].at >= at:
		return
	case i == MaxAdapters:
		i--
	case i == a.n:
		a.n++
	}
	for ; i > 0 && a.list[i-1].at < at; i-- {
		a.list[i] = a.list[i-1]
	}
	a.list[i] = adapterUse{key, at}
}
