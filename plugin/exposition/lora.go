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

// maxNames bounds the adapters that are read of one series, those that run and those that wait: more than are kept.
const maxNames = 4 * MaxAdapters

// add takes names with commas between them.
func (a *adapters) add(names []byte, at float64) {
	for range maxNames {
		if len(names) == 0 || a.n == MaxAdapters && a.list[MaxAdapters-1].at >= at {
			return
		}
		end := bytestr.IndexByte(names, ',')
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

// latest are the lines of vllm:lora_requests_info with the highest values, as they came. A page has one for each set of adapters that ever ran
// and waited, hundreds of thousands after days with many, in the order in which they came up, so that most are later than all before. They say when
// each adapter was used last; so do the latest alone, of all adapters that are still loaded. It is a heap, whose first is the earliest (Williams, "Algorithm
// 232: Heapsort", CACM 7(6), 1964).
type latest struct {
	list [maxLatest]timedLine
	n    int
}

type timedLine struct {
	at   float64
	text []byte // reused
}

// maxLatest is four lines for each adapter that is kept.
const maxLatest = 4 * MaxAdapters

// takes keeps a line, or leaves it because it is too early; false: it must be read to see when it was.
func (l *latest) takes(line []byte) bool {
	from := len(line)
	for from > 0 && !isBlank(line[from-1]) && line[from-1] != '}' {
		from--
	}
	brace := from
	for brace > 0 && isBlank(line[brace-1]) {
		brace--
	}
	if brace == 0 || line[brace-1] != '}' {
		return false // the time of the sample may follow, or an exemplar
	}
	at, ok := number(line[from:])
	if !ok || l.n == maxLatest && at <= l.list[0].at {
		return true
	}
	i := l.n
	if l.n == maxLatest {
		i = l.sink(at)
	} else {
		for l.n++; i > 0 && l.list[(i-1)/2].at > at; i = (i - 1) / 2 {
			l.swap(i, (i-1)/2)
		}
	}
	l.list[i].at, l.list[i].text = at, append(l.list[i].text[:0], line...)
	return true
}

// sink makes a place for at where the first was.
func (l *latest) sink(at float64) (i int) {
	for {
		child := 2*i + 1
		if child+1 < l.n && l.list[child+1].at < l.list[child].at {
			child++
		}
		if child >= l.n || l.list[child].at >= at {
			return i
		}
		l.swap(i, child)
		i = child
	}
}

func (l *latest) swap(i, j int) { l.list[i], l.list[j] = l.list[j], l.list[i] }

// takeLatest reads the lines that were kept.
func (r *Reader) takeLatest() {
	for i := range r.latest.n {
		r.sample(&vLLMMetrics[adaptersMetric], labelScanner{line: r.latest.list[i].text, at: len("vllm:") + len(vLLMMetrics[adaptersMetric].name)})
	}
}
