// Package exposition reads a /metrics page of vLLM, SGLang or TGI: the Prometheus text format 0.0.4
// (prometheus.io/docs/instrumenting/exposition_formats) or OpenMetrics 1.0. It keeps what routing needs and skips the
// rest in bounded memory: no tree, no allocation per line.
package exposition

import "warmroute/plugin/bytestr"

// maxLine bounds a line of a page, in bytes; a longer one is skipped. vLLM's longest, its cache configuration, has
// 1.2 KB.
const maxLine = 8 << 10

// maxSeries bounds the series of SGLang that are compared with each other on one page.
const maxSeries = 64

// Reader reads one page in pieces of any size. The zero value is ready; Reset prepares it for the next page.
//
// Several engines or models on one page are one endpoint: counts, counters and capacities are added up. SGLang may
// repeat the same engine for each of its tensor, pipeline and expert ranks: only the first counts. If a page has both a
// metric's present and its former name, the present one counts.
type Reader struct {
	load      Load
	server    server // whose metric came first
	sum       [sums]float64
	count     [sums]int // series in each sum
	last      *metric   // of the previous line; nil if it was none that is read
	carry     []byte    // the beginning of a line that came in several pieces
	long      bool      // that line is longer than maxLine: its rest is skipped
	series    [maxSeries]uint64
	seriesLen int
	adapters  adapters
}

// Reset forgets the page and keeps the buffers.
func (r *Reader) Reset() {
	r.load, r.server = Load{}, unknown
	r.sum, r.count = [sums]float64{}, [sums]int{}
	r.last, r.carry, r.long, r.seriesLen = nil, r.carry[:0], false, 0
	r.adapters.n = 0
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

// Close ends the page and returns what it says, valid until the next Reset. A page whose last line has no line feed is
// truncated. Of it, what was read in whole is kept: the unfinished line is left out, and so is the metric before it, of
// which another engine may have followed.
func (r *Reader) Close() *Load {
	r.load.Truncated = r.long || len(r.carry) > 0
	if newMetric := len(r.carry) > 0 && r.carry[0] == '#'; r.load.Truncated && r.last != nil && !newMetric {
		from, to := r.last.fills()
		for i := from; i < to; i++ {
			r.count[i] = 0
		}
	}
	r.carry, r.long, r.last = r.carry[:0], false, nil
	r.settle()
	return &r.load
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
	switch {
	case !ok:
	case r.server == sgLang && (found.part || found.ranked && !r.first(found.hash)):
	case m.to == cacheInfo:
		r.cache(&found)
	case m.to == loraInfo:
		r.lora(&found, v)
	case m.to == sumBlockTokens && r.count[sumBlockTokens] > 0:
	default:
		r.add(m.to, v)
	}
}

func (r *Reader) add(to sum, v float64) {
	r.sum[to] += v
	r.count[to]++
}

// first says whether a series, given by its hash without the ranks, is new on this page. Beyond maxSeries all are.
func (r *Reader) first(hash uint64) bool {
	for _, h := range r.series[:r.seriesLen] {
		if h == hash {
			return false
		}
	}
	if r.seriesLen < maxSeries {
		r.series[r.seriesLen] = hash
		r.seriesLen++
	}
	return true
}

// lora takes the adapters that ran and waited at a time.
func (r *Reader) lora(found *labels, at float64) {
	if slots, ok := number(found.slots); ok && slots >= 1 {
		r.load.AdapterSlots = int(min(slots, MaxAdapters))
		r.load.Has |= HasAdapters
	}
	r.adapters.add(found.running, at)
	r.adapters.add(found.waiting, at)
}

// cache takes an engine's capacity from the labels of its cache configuration. Later versions of vLLM count the tokens
// themselves, which is right for models with several kinds of attention; blocks times tokens is not.
func (r *Reader) cache(found *labels) {
	block, hasBlock := number(found.blockTokens)
	n, hasBlocks := number(found.blocks)
	tokens, hasTokens := number(found.tokens)
	if !hasTokens {
		tokens, hasTokens = block*n, hasBlock && hasBlocks && block*n <= maxValue
	}
	if hasBlock && r.count[sumBlockTokens] == 0 {
		r.add(sumBlockTokens, block)
	}
	if hasBlocks {
		r.add(sumBlocks, n)
	}
	if hasTokens {
		r.add(sumCapacityFormer, tokens)
	}
}
