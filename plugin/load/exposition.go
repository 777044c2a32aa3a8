package load

import "bytes"

// maxLine bounds a line of a page, in bytes; a longer one is skipped and counted. vLLM's longest, its cache
// configuration, has 1.2 KB.
const maxLine = 8 << 10

// maxSeen bounds the series of SGLang that are told apart on one page.
const maxSeen = 64

// Scrape reads one /metrics page as it comes, in pieces of any size: the Prometheus text format 0.0.4
// (prometheus.io/docs/instrumenting/exposition_formats) and OpenMetrics 1.0. It keeps what routing needs and steps over
// the rest, in bounded memory: no tree, no allocation per line. The zero value is ready; Reset makes it so again.
//
// Several engines or models on one page are one endpoint: counts, counters and capacities are added up, shares are
// averaged. SGLang may show the same engine once for each of its tensor, pipeline and expert ranks: the first counts.
// Where both a present and a former name are shown, the present one counts.
type Scrape struct {
	sample  Sample
	sum     [tallies]float64
	count   [tallies]int
	last    *known // of the line before, nil where that was none of ours
	carry   []byte // the beginning of a line that came in several pieces
	long    bool   // that line is longer than maxLine: its rest is skipped
	seen    [maxSeen]uint64
	seenLen int
	stamp   float64 // of the adapters read so far
}

// Reset forgets the page and keeps the buffers. Samples given out before are overwritten by the next page.
func (r *Scrape) Reset() {
	r.sample = Sample{RunningLoRA: r.sample.RunningLoRA[:0], WaitingLoRA: r.sample.WaitingLoRA[:0]}
	r.sum, r.count = [tallies]float64{}, [tallies]int{}
	r.last, r.carry, r.long, r.seenLen, r.stamp = nil, r.carry[:0], false, 0, 0
}

// Write reads the next piece of the page. It keeps nothing of it but an unfinished line.
func (r *Scrape) Write(piece []byte) {
	for len(piece) > 0 {
		end := bytes.IndexByte(piece, '\n')
		if end < 0 {
			r.hold(piece)
			return
		}
		line := piece[:end]
		piece = piece[end+1:]
		if len(r.carry) > 0 || r.long {
			r.hold(line)
			line = r.carry
		}
		if r.long || len(line) > maxLine {
			r.sample.Bad++
			r.last = nil
		} else {
			r.line(line)
		}
		r.carry, r.long = r.carry[:0], false
	}
}

// hold keeps a part of a line until the rest of it comes.
func (r *Scrape) hold(part []byte) {
	if r.long = r.long || len(r.carry)+len(part) > maxLine; !r.long {
		r.carry = append(r.carry, part...)
	}
}

// Close ends the page and returns what it said, valid until the next Reset. Cut says that the page went on where
// reading ended; a last line without a line feed says so by itself. Of a cut page, what was read in whole is kept: the
// unfinished line is left out, and so is the metric before it, of which another engine may have been to come.
func (r *Scrape) Close(cut bool) *Sample {
	s := &r.sample
	s.Cut = cut || r.long || len(r.carry) > 0
	if newMetric := len(r.carry) > 0 && r.carry[0] == '#'; s.Cut && r.last != nil && !newMetric {
		from, to := r.last.family()
		for i := from; i < to; i++ {
			r.count[i] = 0
		}
	}
	r.carry, r.long, r.last = r.carry[:0], false, nil
	r.settle()
	return s
}

func (r *Scrape) line(line []byte) {
	for len(line) > 0 && isBlank(line[len(line)-1]) {
		line = line[:len(line)-1]
	}
	for len(line) > 0 && isBlank(line[0]) {
		line = line[1:]
	}
	r.last = nil
	if len(line) == 0 || line[0] == '#' {
		return
	}
	switch c := line[0]; c {
	case 'v', 's', 't':
	default:
		if c != '{' && (!isNameByte(c) || isDigit(c)) {
			r.sample.Bad++
		}
		return
	}
	end := 1
	for end < len(line) && isNameByte(line[end]) {
		end++
	}
	kind, metric := lookup(line[:end], r.sample.Kind)
	if metric == nil {
		return
	}
	r.sample.Kind, r.last = kind, metric
	if metric.to == tallyTTFTBucket || metric.to == tallyPrefillBucket {
		return
	}
	if !r.series(metric, labelScanner{line: line, at: end}) {
		r.sample.Bad++
	}
}

// series reads one line of a metric, from its labels on; false where it is broken or its value can be no load's.
func (r *Scrape) series(metric *known, labels labelScanner) bool {
	var found found
	found.hash = fnvOffset ^ uint64(metric.to)
	for name, value, ok := labels.next(); ok; name, value, ok = labels.next() {
		found.label(name, value)
	}
	rest := labels.line[labels.at:]
	if labels.broken || len(rest) == 0 || !labels.opened && !isBlank(rest[0]) && !isBlank(labels.line[labels.at-1]) {
		return false
	}
	v, ok := number(firstWord(rest))
	if !ok {
		return false
	}
	to := metric.to
	switch {
	case r.sample.Kind == SGLang && (found.part || found.ranked && !r.first(found.hash)):
		return true
	case to == tallyAwake && !found.awake:
		return true
	case to == tallyHits && found.allSources:
		to = tallyHitsFormer
	case to == tallyLoRA:
		r.adapters(&found, v)
	case to == tallyCacheInfo:
		r.cache(&found)
		return true
	case to == tallyBlockTokens && r.count[tallyBlockTokens] > 0:
		return true
	}
	r.add(to, v)
	return true
}

func (r *Scrape) add(to tally, v float64) {
	r.sum[to] += v
	r.count[to]++
}

// first says whether a series, named by its hash without the ranks, is new on this page. Beyond maxSeen all are.
func (r *Scrape) first(hash uint64) bool {
	for _, h := range r.seen[:r.seenLen] {
		if h == hash {
			return false
		}
	}
	if r.seenLen < maxSeen {
		r.seen[r.seenLen] = hash
		r.seenLen++
	}
	return true
}

// cache takes an engine's cache from the labels of its configuration. vLLM counts tokens by itself in later versions,
// which is right for models of several kinds of attention, where blocks times tokens is not.
func (r *Scrape) cache(found *found) {
	block, hasBlock := number(found.block)
	n, hasBlocks := number(found.blocks)
	tokens, hasTokens := number(found.tokens)
	if !hasTokens {
		tokens, hasTokens = block*n, hasBlock && hasBlocks && block*n <= maxValue
	}
	if hasBlock && r.count[tallyBlockTokens] == 0 {
		r.add(tallyBlockTokens, block)
	}
	if hasBlocks {
		r.add(tallyBlocks, n)
	}
	if hasTokens {
		r.add(tallyCapacityFormer, tokens)
	}
}

// adapters takes the names of the latest line: its value is the time it was true, and old lines stay on the page.
func (r *Scrape) adapters(found *found, stamp float64) {
	if r.count[tallyLoRA] > 0 && stamp < r.stamp {
		return
	}
	s := &r.sample
	r.stamp = stamp
	most, _ := number(found.maxLoRA)
	s.MaxLoRA = int(min(most, maxAdapters))
	s.RunningLoRA = appendNames(s.RunningLoRA[:0], found.runningLoRA)
	s.WaitingLoRA = appendNames(s.WaitingLoRA[:0], found.waitingLoRA)
}
