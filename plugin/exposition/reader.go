// Package exposition reads a /metrics page of vLLM, SGLang or TGI: the Prometheus text format 0.0.4
// (prometheus.io/docs/instrumenting/exposition_formats) or OpenMetrics 1.0. It keeps what routing needs and skips the
// rest in bounded memory: no tree, no allocation per line.
package exposition

import (
	"warmroute/plugin/bytestr"
)

// maxLine bounds a line of a page, in bytes; a longer one is skipped. vLLM's longest, its cache configuration, has
// 1.2 KB.
const maxLine = 8 << 10

// No page may hold up a worker for long, whoever writes it. MaxPage is how many bytes of one are read, and maxWork what else is done: a line counts
// as 1, one that is read as sampleWork more, and 1 for each label and workBytes of it. vLLM's page of 64 engines has 4 MB, 36,000 lines, and reads
// 576 of them; one with adapters has a line for each set of them that ever ran and waited (lora.go), which count as 2. What is behind is not known.
const (
	MaxPage    = 6 << 20
	maxWork    = 1 << 16
	sampleWork = 8
	workBytes  = 16
)

// Reader reads one page in pieces of any size. The zero value is ready; Reset prepares it for the next page.
//
// Several engines or models on one page are one endpoint: counts, counters and capacities are added up. SGLang may
// repeat the same engine for each of its tensor, pipeline and expert ranks: only the first counts. If a page has both a
// metric's present and its former name, the present one counts. But if the reader has several Ranks, each engine is one of them (ranks.go).
type Reader struct {
	Ranks int // data-parallel ranks, each with a Load of its own; 0 or 1: all together; or EachRank. Set it before the page's first Reset

	sheets  []sheet   // all together, or what names no engine; then one for each engine
	engines []float64 // their numbers, in the order in which the page names them first
	base    float64   // the number of rank 0
	nothing Load      // of a rank that the page does not name
	cut     bool      // the page was truncated, or
	stopped bool      // too long to be read to its end
	server  server    // whose metric came first
	last    *metric   // of the previous line; nil if it was none that is read
	carry   []byte    // the beginning of a line that came in several pieces
	long    bool      // that line is longer than maxLine: its rest is skipped
	bytes   int       // of the page that were read
	work    int       // that was done
	latest  latest    // lines about adapters
}

// Reset forgets the page and keeps the buffers.
func (r *Reader) Reset() {
	r.reserve(1)
	for i := range r.sheets {
		r.sheets[i].reset()
	}
	r.server, r.engines, r.base, r.cut = unknown, r.engines[:0], 0, false
	r.last, r.carry, r.long = nil, r.carry[:0], false
	r.bytes, r.work, r.latest.n = 0, 0, 0
}

// Write reads the next piece of the page. It keeps nothing of it but an unfinished line.
func (r *Reader) Write(piece []byte) {
	piece = piece[:min(len(piece), MaxPage-r.bytes)]
	r.bytes += len(piece)
	for len(piece) > 0 && r.work < maxWork {
		r.work++
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
// which another engine may have followed. Likewise of one that is too long to be read to its end; but what that says first is not in doubt.
func (r *Reader) Close() *Load {
	r.reserve(1)
	r.stopped = r.bytes == MaxPage || r.work >= maxWork
	r.cut = r.stopped || r.long || len(r.carry) > 0
	newMetric := len(r.carry) > 0 && r.carry[0] == '#'
	r.takeLatest()
	for i := range r.sheets {
		s := &r.sheets[i]
		if r.stopped && r.last != nil && r.last.to == loraInfo { // the latest are still to come
			s.dropAdapters()
		}
		if r.cut && r.last != nil && !newMetric {
			s.drop(r.last)
		}
		s.load.Truncated = r.truncates(s)
	}
	r.carry, r.long, r.last = r.carry[:0], false, nil
	r.findBase()
	for i := range r.engines {
		r.sheets[i+1].lend(&r.sheets[0])
	}
	for i := range r.sheets {
		r.sheets[i].settle(r.Named(), r.server)
	}
	return r.Rank(0)
}

// truncates says whether a sheet may lack what is behind: not what runs and waits, where both came in time.
func (r *Reader) truncates(s *sheet) bool {
	return r.cut && !(r.stopped && s.count[sumRunning] > 0 && s.count[sumWaiting] > 0)
}

// IsTruncated says whether the page ended early, after Close.
func (r *Reader) IsTruncated() bool { return r.cut }

// line reads one line. Lines that are no metrics, or whose value no load can have (NaN, Inf, negative), are skipped.
func (r *Reader) line(line []byte) {
	last, length := r.last, len(line)
	for len(line) > 0 && isBlank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && isBlank(line[0]) {
		line = line[1:]
	}
	r.work += (length - len(line)) / workBytes
	r.last = nil
	if len(line) == 0 || line[0] != 'v' && line[0] != 's' && line[0] != 't' {
		return
	}
	if !mayBeRead(line) {
		return
	}
	server, metric, end := r.server, last, 0
	if last != nil && last.to == loraInfo { // one of thousands, in a row
		end = last.named(line)
	}
	if end == 0 {
		for end = 1; end < len(line) && isNameByte(line[end]); {
			end++
		}
		server, metric = lookup(line[:end], r.server)
	}
	if metric == nil {
		return
	}
	r.server, r.last = server, metric
	if metric.to == loraInfo && r.latest.takes(line) {
		r.work++
		return
	}
	r.work += sampleWork + len(line)/workBytes
	r.sample(metric, labelScanner{line: line, at: end})
}

// sample reads the rest of a metric's line, from its labels on.
func (r *Reader) sample(m *metric, scanner labelScanner) {
	found := labels{hash: uint64(m.to), hashes: r.server == sgLang}
	for name, value, ok := scanner.next(); ok; name, value, ok = scanner.next() {
		r.work++
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
		s.cache(&found)
	case m.to == offloadInfo:
		s.offload(&found)
	case m.to == sumHits && found.external:
		s.add(sumHits, v)
		s.add(sumExternalHits, v)
		if found.stored {
			s.add(sumStored, v)
		}
	case m.to == loraInfo:
		s.lora(&found, v)
	case m.to == sumBlockTokens && s.count[sumBlockTokens] > 0:
	default:
		s.add(m.to, v)
	}
}
