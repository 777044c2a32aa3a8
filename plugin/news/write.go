package news

import (
	"encoding/binary"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/prefix"
)

// The records of a page, by their first byte.
const (
	recordEnd    = iota // positions, and the page's end
	recordLoad          // a gateway's load
	recordSpeeds        // what a gateway has learned of the endpoints' speed
	recordEntry         // a step of a request: prefix.Sent; and behind this the others
)

// window is how far back an entry may refer.
const window = 32

// Load is what one endpoint has of one gateway.
type Load struct {
	InFlight     int     // requests
	Queued, Work float64 // prompt tokens: not computed yet, and given lately
	Waiting      int     // streams without a first token
	Begun, Ended int64   // ms before the report: when the first of them came, and when one of them left last; at most longAgo
}

// Hold is what waits at one gateway for a group of endpoints.
type Hold struct {
	Group    uint32
	Requests int
	Size     uint8 // of the first
	Waited   int64 // ms that it had waited at the load's time
}

// MostHolds is the most of them in a load.
const MostHolds = 4

// longAgo is any time after which a prompt's arrival or end says nothing of those that wait.
const longAgo = 1<<14 - 1

// Entry is a step of a request at an endpoint: prefix.Index.Apply.
type Entry struct {
	Step     prefix.Step
	First    int    // blocks, as Apply takes them
	Used     int64  // ms for which the request had used those
	Origin   uint64 // incarnation of the gateway that routed it
	Endpoint string // address
	Age      int64  // ms since then; of one that was lost, since it was routed
	Chain    prefix.Chain
}

// IsSent says whether the request was sent then, and IsEnded, whether it ended well.
func (e *Entry) IsSent() bool  { return e.Step == prefix.Sent }
func (e *Entry) IsEnded() bool { return e.Step == prefix.Ended }

// Again makes it a step that does no harm if it was entered before: the endpoint holds the prompt, and no user of it is counted, or it keeps the response. false:
// there is none.
func (e *Entry) Again() bool {
	switch e.Step {
	case prefix.Lost:
		return false
	case prefix.Stored:
		return true
	}
	e.Step, e.First = prefix.Ended, 0
	return true
}

// clip is a number as a page may have it: a reader refuses all of a page with a larger one. A clock that was set forward by decades makes
// ages so large.
func clip(v int64, most uint64) uint64 { return min(uint64(max(v, 0)), most) }

// Writer makes a page. Begin, then Load and Entry as long as they report that there is room, then End.
type Writer struct {
	page      []byte
	endpoints []string // by number in the page
	gateways  []uint64
	entries   int
	blocks    int
	tail      int                  // bytes that are kept free
	recent    [window]prefix.Chain // of the last entries, a ring
}

// pageHead is tag, version, and three numbers of 64 bits: the writer's incarnation, the ask's number, the dialect.
const pageHead = 2 + 3*8

// pageWhole is a flag beside the version: see Writer.Begin.
const pageWhole = 1

// tailOf is what is kept free for the positions of so many logs, and the code.
func tailOf(logs int) int { return 1 + 3 + 10*logs + 1 + codeLength }

// Begin starts the page that answers an ask. from is the writer's incarnation; whole says that it has read a snapshot itself,
// or needed none.
func (w *Writer) Begin(from uint64, ask *Ask, whole bool) {
	w.page = append(w.page[:0], pageTag, Version<<flagBits)
	if whole {
		w.page[1] |= pageWhole
	}
	for _, v := range [...]uint64{from, ask.Number, ask.Dialect} {
		w.page = binary.LittleEndian.AppendUint64(w.page, v)
	}
	w.endpoints, w.gateways, w.entries, w.blocks, w.tail = w.endpoints[:0], w.gateways[:0], 0, 0, tailOf(MaxLogs)
}

// Expect says how many positions the page will end in, MaxLogs unless it is called: the fewer, the more room there is.
func (w *Writer) Expect(logs int) { w.tail = tailOf(min(logs, MaxLogs)) }

// Crowded says whether half of the page is written: what can wait is left to the next one.
func (w *Writer) Crowded() bool { return len(w.page) > MaxPage/2 }

// Entries is the number of entries so far.
func (w *Writer) Entries() int { return w.entries }

// Load writes the load of a gateway: the requests that it sent lately to all endpoints, its age in ms, what waits at it, MostHolds at most,
// and n endpoints with anything to report. It reports false, and writes nothing, if there is no room.
func (w *Writer) Load(gateway uint64, age int64, requests float64, holds []Hold, n int, at func(i int) (address string, l Load)) bool {
	start, endpoints, gateways := len(w.page), len(w.endpoints), len(w.gateways)
	w.page = append(w.page, recordLoad)
	ok := w.gateway(gateway)
	w.page = bytestr.AppendFloat16(binary.AppendUvarint(w.page, clip(age, maxAge)), requests)
	holds = holds[:min(len(holds), MostHolds)]
	w.page = append(w.page, byte(len(holds)))
	for _, h := range holds {
		w.page = binary.AppendUvarint(binary.LittleEndian.AppendUint32(w.page, h.Group), clip(int64(h.Requests), maxInFlight))
		w.page = binary.AppendUvarint(append(w.page, h.Size), clip(h.Waited, maxAge))
	}
	w.page = binary.AppendUvarint(w.page, uint64(n))
	for i := range n {
		address, l := at(i)
		ok = w.endpoint(address) && ok
		w.page = binary.AppendUvarint(w.page, clip(int64(l.InFlight), maxInFlight))
		w.page = bytestr.AppendFloat16(bytestr.AppendFloat16(w.page, l.Queued), l.Work)
		for _, v := range [...]int64{int64(l.Waiting), l.Begun, l.Ended} {
			w.page = binary.AppendUvarint(w.page, clip(v, longAgo))
		}
	}
	if !ok || len(w.page)+w.tail > MaxPage {
		w.page, w.endpoints, w.gateways = w.page[:start], w.endpoints[:endpoints], w.gateways[:gateways]
		return false
	}
	return true
}

// Entry writes an entry. It reports false, and writes nothing, if there is no room, or if it is none that a reader takes.
func (w *Writer) Entry(e *Entry) bool {
	n := len(e.Chain.Hash)
	if w.entries == MaxEntries || w.blocks+n > MaxBlocks || n == 0 || n > prefix.MaxBlocks {
		return false
	}
	start, endpoints, gateways := len(w.page), len(w.endpoints), len(w.gateways)
	w.page = append(w.page, recordEntry+byte(e.Step))
	ok := w.gateway(e.Origin)
	ok = w.endpoint(e.Endpoint) && ok
	w.page = binary.AppendUvarint(binary.AppendUvarint(w.page, clip(e.Age, maxAge)), clip(int64(e.First), uint64(n)))
	if e.First > 0 {
		w.page = binary.AppendUvarint(w.page, clip(e.Used, maxUsed))
	}
	back, shared := w.alike(e.Chain.Hash)
	w.page = binary.AppendUvarint(w.page, uint64(back))
	if back > 0 {
		w.page = binary.AppendUvarint(w.page, uint64(shared))
	}
	w.page = binary.AppendUvarint(w.page, uint64(n-shared))
	for _, hash := range e.Chain.Hash[shared:] {
		w.page = binary.LittleEndian.AppendUint64(w.page, hash)
	}
	ok = w.sizes(&e.Chain, shared) && ok
	if !ok || len(w.page)+w.tail > MaxPage {
		w.page, w.endpoints, w.gateways = w.page[:start], w.endpoints[:endpoints], w.gateways[:gateways]
		return false
	}
	keep := &w.recent[w.entries%window]
	keep.Reset()
	keep.Hash = append(keep.Hash, e.Chain.Hash...)
	w.entries++
	w.blocks += n
	return true
}

// End writes the positions and returns the page, valid until the next Begin. more says that not all fitted.
func (w *Writer) End(at []uint64, more bool, key Key) []byte {
	w.page = append(w.page, recordEnd, 0)
	if more {
		w.page[len(w.page)-1] = 1
	}
	w.page = appendPositions(w.page, at)
	w.page = binary.LittleEndian.AppendUint64(w.page, key.Sum(w.page))
	return w.page
}

// alike finds the recent entry whose chain begins most like this one: how many entries back, and blocks shared; 0 for none.
// Equal hashes mean that all blocks before are equal, too.
func (w *Writer) alike(chain []uint64) (back, shared int) {
	for k := 1; k <= min(w.entries, window); k++ {
		other := w.recent[(w.entries-k)%window].Hash
		low, high := 0, min(len(chain), len(other))
		if high <= shared || other[shared] != chain[shared] {
			continue
		}
		for low < high {
			if middle := (low + high + 1) / 2; other[middle-1] == chain[middle-1] {
				low = middle
			} else {
				high = middle - 1
			}
		}
		if low > shared {
			back, shared = k, low
		}
	}
	return back, shared
}

// sizes writes the bytes of the blocks from the first on, as runs of equal ones; false if one has none, which a reader refuses.
func (w *Writer) sizes(c *prefix.Chain, first int) (ok bool) {
	for i := first; i < c.Len(); {
		size, run := c.Covered(i+1)-c.Covered(i), 1
		if size == 0 {
			return false
		}
		for i+run < c.Len() && c.Covered(i+run+1)-c.Covered(i+run) == size {
			run++
		}
		w.page = binary.AppendUvarint(binary.AppendUvarint(w.page, uint64(size)), uint64(run))
		i += run
	}
	return true
}
