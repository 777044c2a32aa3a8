// Package exposition reads a /metrics page of vLLM, SGLang or TGI: the Prometheus text format 0.0.4
// (prometheus.io/docs/instrumenting/exposition_formats) or OpenMetrics 1.0. It keeps what routing needs and skips the
// rest in bounded memory: no tree, no allocation per line.
package exposition

import (
	"slices"

	"warmroute/plugin/bytestr"
)

// maxLine bounds a line of a page, in bytes; a longer one is skipped. vLLM's longest, its cache configuration, has
// 1.2 KB.
const maxLine = 8 << 10

// Reader reads one page in pieces of any size. The zero value is ready; Reset prepares it for the next page.
//
// Several engines or models on one page are one endpoint: counts, counters and capacities are added up. SGLang may
// repeat the same engine for each of its tensor, pipeline and expert ranks: only the first counts. If a page has both a
// metric's present and its former name, the present one counts. But if the reader has several Ranks, each engine is one of them.
type Reader struct {
	Ranks int // data-parallel ranks, each with a Load of its own; 0 or 1: all together. Set it before the page's first Reset

	sheets  []sheet   // one for each rank
	engines []float64 // whose sheets these are, by number, in the order in which the page names them first
	base    float64   // the number of rank 0
	nothing Load      // of a rank that the page does not name
	server  server    // whose metric came first
	last    *metric   // of the previous line; nil if it was none that is read
	carry   []byte    // the beginning of a line that came in several pieces
	long    bool      // that line is longer than maxLine: its rest is skipped
}

// Reset forgets the page and keeps the buffers.
func (r *Reader) Reset() {
	for len(r.sheets) < max(r.Ranks, 1) {
		r.sheets = append(r.sheets, sheet{})
	}
	for i := range r.sheets {
		r.sheets[i].reset()
	}
	r.server, r.engines, r.base = unknown, r.engines[:0], 0
	r.last, r.carry, r.long = nil, r.carry[:0], false
}

// Write reads the next piece of the page. It keeps nothing of it but an unfinished line.
func (r *Reader) Write(piece []byte) {
	for len(piece) > 0 {
		end := bytestr.IndexByte(piece, '\n')
		if end < 0 {
			r.keep(piece)
			return
		}
		line := piece[:end]
		piece = piece[end+1:]
		if len(r.carry) > 0 || r.long {
			r.keep(line)
			line = r.carry
		}
		if r.long || len(line) > maxLine {
			r.last = nil
		} else {
			r.line(line)
		}
		r.carry, r.long = r.carry[:0], false
	}
}

// keep keeps a part of a line until the rest of it comes.
func (r *Reader) keep(part []byte) {
	if r.long = r.long || len(r.carry)+len(part) > maxLine; !r.long {
		r.carry = append(r.carry, part...)
	}
}

// Close ends the page and returns what it says, of several ranks the first, valid until the next Reset. A page whose last line has no line feed is
// truncated. Of it, what was read in whole is kept: the unfinished line is left out, and so is the metric before it, of
// which another engine may have followed.
func (r *Reader) Close() *Load {
	r.sheetOf(nil)
	truncated := r.long || len(r.carry) > 0
	newMetric := len(r.carry) > 0 && r.carry[0] == '#'
	for i := range r.sheets {
		if truncated && r.last != nil && !newMetric {
			r.sheets[i].drop(r.last)
		}
		r.sheets[i].load.Truncated = truncated
		r.sheets[i].settle()
	}
	r.carry, r.long, r.last = r.carry[:0], false, nil
	r.findBase()
	return r.Rank(0)
}

// findBase finds the number of rank 0. It is another than 0 where the server has the engines of one node of several: vLLM numbers those on, but
// counts from 0 in the request header. The order on the page says nothing: a page that Prometheus' client for Python merges from several processes
// has them in the order of their files, and leaves out of a metric the engines that have not set it yet.
func (r *Reader) findBase() {
	if r.server == sgLang || len(r.engines) == 0 {
		return // SGLang numbers those of all nodes, and counts so
	}
	if slices.Max(r.engines) >= float64(r.Ranks) {
		r.base = slices.Min(r.engines)
	}
}

// Rank is what the page says of a rank, after Close and as long.
func (r *Reader) Rank(i int) *Load {
	if r.Ranks < 2 {
		return &r.sheets[0].load
	}
	for k, engine := range r.engines {
		if engine == r.base+float64(i) {
			return &r.sheets[k].load
		}
	}
	return &r.nothing
}

// NamesAllRanks says whether the page of its server names each rank that there is: SGLang's names those that have had requests.
func (r *Reader) NamesAllRanks() bool { return r.server == vLLM }

// sheetOf is that of the engine with a label, nil for one too many, or if it names none where there are several.
func (r *Reader) sheetOf(engine []byte) *sheet {
	if len(r.sheets) == 0 {
		r.sheets = append(r.sheets, sheet{}) // of the zero value
	}
	if r.Ranks < 2 {
		return &r.sheets[0]
	}
	n, ok := number(engine)
	if !ok {
		return nil
	}
	for i, known := range r.engines {
		if known == n {
			return &r.sheets[i]
		}
	}
	if len(r.engines) == r.Ranks {
		return nil
	}
	r.engines = append(r.engines, n)
	return &r.sheets[len(r.engines)-1]
}

// line reads one line. Lines that are no metrics, or whose value no load can have (NaN, Inf, negative), are skipped.
func (r *Reader) line(line []byte) {
	for len(line) > 0 && isBlank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && isBlank(line[0]) {
		line = line[1:]
	}
	r.last = nil
	if len(line) == 0 || line[0] != 'v' && line[0] != 's' && line[0] != 't' {
		return
	}
	if !mayBeRead(line) {
		return
	}
	end := 1
	for end < len(line) && isNameByte(line[end]) {
		end++
	}
	server, metric := lookup(line[:end], r.server)
	if metric == nil {
		return
	}
	r.server, r.last = server, metric
	r.sample(metric, labelScanner{line: line, at: end})
}

// sample reads the rest of a metric's line, from its labels on.
func (r *Reader) sample(m *metric, scanner labelScanner) {
	found := labels{hash: uint64(m.to)}
	for name, value, ok := scanner.next(); ok; name, value, ok = scanner.next() {
		found.add(name, value)
	}
	rest := scanner.line[scanner.at:]
	if scanner.broken || len(rest) == 0 || !scanner.opened && !isBlank(rest[0]) && !isBlank(scanner.line[scanner.at-1]) {
		return
	}
	v, ok := number(firstWord(rest))
	if !ok {
		return
	}
	s := r.sheetOf(found.engine)
	switch {
	case s == nil:
	case r.server == sgLang && (found.part || found.ranked && !s.first(found.hash)):
	case m.to == cacheInfo:
		s.cache(&found, r.Ranks)
	case m.to == loraInfo:
		s.lora(&found, v)
	case m.to == sumBlockTokens && s.count[sumBlockTokens] > 0:
	default:
		s.add(m.to, v)
	}
}
