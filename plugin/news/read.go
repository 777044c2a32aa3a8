package news

import (
	"encoding/binary"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/prefix"
)

// Reader reads a page, record by record. Its memory is used again for the next page.
type Reader struct {
	From    uint64 // the writer's incarnation
	Gateway uint64 // of the record's load
	Age     int64  // of the record's load, ms
	Given   float64
	Holds   []Hold         // likewise
	Loads   []EndpointLoad // likewise
	Entry   Entry
	Speeds  []Speed         // of the record's; the first is of all endpoints together
	Habits  [habits]float64 // of that record
	At      []uint64        // positions to ask for next; valid at the page's end
	More    bool            // not all fitted into the page; valid at its end

	Whole bool // the writer knows all that there is to know

	rest      []byte
	endpoints []string
	gateways  []uint64
	loads     int
	sped      bool // there was a record of speeds
	entries   int
	blocks    int
	recent    [window]prefix.Chain
}

// EndpointLoad is the load at an address.
type EndpointLoad struct {
	Address string
	Load
}

// Kind is that of a record.
type Kind uint8

// The kinds. Broken ends the page, and what was read of it so far is to be believed no more than what follows.
const (
	Broken Kind = iota
	End
	LoadRecord
	EntryRecord
	SpeedRecord
)

// Begin opens the page that answers the ask with that number. If it returns an error, nothing of the page may be believed.
func (r *Reader) Begin(page []byte, ask *Ask, key Key) error {
	body, err := opened(page, pageTag, key)
	if err != nil {
		return err
	}
	if len(body) < pageHead {
		return ErrFormat
	}
	if binary.LittleEndian.Uint64(body[10:]) != ask.Number {
		return ErrSecret
	}
	if binary.LittleEndian.Uint64(body[18:]) != ask.Dialect {
		return ErrDialect
	}
	r.Whole = body[1]&pageWhole != 0
	r.From, r.rest = binary.LittleEndian.Uint64(body[2:]), body[pageHead:]
	r.endpoints, r.gateways, r.loads, r.entries, r.blocks = r.endpoints[:0], r.gateways[:0], 0, 0, 0
	r.At, r.More, r.sped = r.At[:0], false, false
	return nil
}

// Next reads the next record.
func (r *Reader) Next() Kind {
	if len(r.rest) == 0 {
		return Broken
	}
	tag := r.rest[0]
	r.rest = r.rest[1:]
	kind, ok := Broken, false
	switch tag {
	case recordEnd:
		kind, ok = End, r.end()
	case recordLoad:
		kind, ok = LoadRecord, r.load()
	case recordEntry + byte(prefix.Sent), recordEntry + byte(prefix.Ended), recordEntry + byte(prefix.Lost), recordEntry + byte(prefix.Stored):
		kind, ok = EntryRecord, r.entry(prefix.Step(tag-recordEntry))
	case recordSpeeds:
		kind, ok = SpeedRecord, !r.sped && r.speeds()
		r.sped = true
	}
	if !ok {
		r.rest = nil
		return Broken
	}
	return kind
}

func (r *Reader) end() (ok bool) {
	if len(r.rest) == 0 || r.rest[0] > 1 {
		return false
	}
	r.More = r.rest[0] == 1
	r.At, r.rest, ok = readPositions(r.At[:0], r.rest[1:])
	return ok && len(r.rest) == 0
}

func (r *Reader) load() (ok bool) {
	if r.Gateway, ok = r.gateway(); !ok || r.loads == MaxGateways {
		return false
	}
	r.loads++
	age, ok := r.uvarint(maxAge)
	if !ok {
		return false
	}
	if r.Given, ok = r.float(); !ok {
		return false
	}
	r.Age, r.Loads = int64(age), r.Loads[:0]
	if !r.holds() {
		return false
	}
	n, ok := r.uvarint(MaxEndpoints)
	for range n {
		var l EndpointLoad
		if l.Address, ok = r.endpoint(); !ok {
			return false
		}
		inFlight, known := r.uvarint(maxInFlight)
		queued, isQueued := r.float()
		work, isWork := r.float()
		if !known || !isQueued || !isWork {
			return false
		}
		l.Load = Load{InFlight: int(inFlight), Queued: queued, Work: work}
		var line [3]uint64 // waiting, begun, ended
		for k := range line {
			if line[k], ok = r.uvarint(longAgo); !ok {
				return false
			}
		}
		l.Waiting, l.Begun, l.Ended = int(line[0]), int64(line[1]), int64(line[2])
		r.Loads = append(r.Loads, l)
	}
	return ok
}

// holds reads what waits.
func (r *Reader) holds() bool {
	r.Holds = r.Holds[:0]
	n, ok := r.uvarint(MostHolds)
	for range n {
		if len(r.rest) < 4 {
			return false
		}
		h := Hold{Group: binary.LittleEndian.Uint32(r.rest)}
		r.rest = r.rest[4:]
		requests, known := r.uvarint(maxInFlight)
		if !known || len(r.rest) < 1 {
			return false
		}
		h.Requests, h.Size, r.rest = int(requests), r.rest[0], r.rest[1:]
		waited, known := r.uvarint(maxAge)
		if h.Waited = int64(waited); !known {
			return false
		}
		r.Holds = append(r.Holds, h)
	}
	return ok
}

func (r *Reader) entry(step prefix.Step) (ok bool) {
	e := &r.Entry
	e.Step = step
	if e.Origin, ok = r.gateway(); !ok {
		return false
	}
	if e.Endpoint, ok = r.endpoint(); !ok {
		return false
	}
	age, ok := r.uvarint(maxAge)
	if !ok {
		return false
	}
	first, ok := r.uvarint(prefix.MaxBlocks)
	if !ok {
		return false
	}
	used := uint64(0)
	if first > 0 {
		if used, ok = r.uvarint(maxUsed); !ok {
			return false
		}
	}
	e.Age, e.First, e.Used = int64(age), int(first), int64(used)
	e.Chain.Reset()
	if !r.share(&e.Chain) {
		return false
	}
	n, ok := r.uvarint(prefix.MaxBlocks)
	total := len(e.Chain.Hash) + int(n)
	if !ok || len(r.rest) < 8*int(n) || total == 0 || e.First > total || total > prefix.MaxBlocks || r.entries == MaxEntries || r.blocks+total > MaxBlocks {
		return false
	}
	for range n {
		e.Chain.Hash = append(e.Chain.Hash, binary.LittleEndian.Uint64(r.rest))
		r.rest = r.rest[8:]
	}
	if !r.sizes(&e.Chain) {
		return false
	}
	keep := &r.recent[r.entries%window]
	keep.Reset()
	keep.Hash, keep.End = append(keep.Hash, e.Chain.Hash...), append(keep.End, e.Chain.End...)
	r.entries++
	r.blocks += total
	return true
}

// share takes the blocks that an earlier entry of the page has as well.
func (r *Reader) share(c *prefix.Chain) bool {
	back, ok := r.uvarint(uint64(min(r.entries, window)))
	if !ok || back == 0 {
		return ok
	}
	other := &r.recent[(r.entries-int(back))%window]
	shared, ok := r.uvarint(uint64(len(other.Hash)))
	if !ok || len(other.End) < int(shared) {
		return false
	}
	c.Hash, c.End = append(c.Hash, other.Hash[:shared]...), append(c.End, other.End[:shared]...)
	return true
}

// sizes reads the bytes of the blocks that are not shared.
func (r *Reader) sizes(c *prefix.Chain) bool {
	end := uint32(0)
	if n := len(c.End); n > 0 {
		end = c.End[n-1]
	}
	for len(c.End) < len(c.Hash) {
		size, ok := r.uvarint(1<<16 - 1)
		run, known := r.uvarint(uint64(len(c.Hash) - len(c.End)))
		if !ok || !known || run == 0 || size == 0 {
			return false
		}
		for range run {
			end += uint32(size)
			c.End = append(c.End, end)
		}
	}
	return true
}

func (r *Reader) uvarint(most uint64) (v uint64, ok bool) {
	v, r.rest, ok = uvarint(r.rest, most)
	return v, ok
}

func (r *Reader) float() (x float64, ok bool) {
	if len(r.rest) < 2 {
		return 0, false
	}
	x, r.rest = bytestr.Float16(r.rest), r.rest[2:]
	return x, true
}
