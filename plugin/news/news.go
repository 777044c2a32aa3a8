// Package news is the wire format in which gateways tell each other what they have routed. One gateway asks (Ask), the other
// answers with a page (Writer, Reader) of at most MaxPage bytes; what does not fit comes with the next ask.
//
// A page has records, in any order but for the last:
//
//	load       of one gateway: requests in flight and prompt tokens, by endpoint; and requests that wait at it
//	entry      a request that was routed: its endpoint, age and chain of block hashes; or that it has ended, or was lost
//	speeds     what the gateway has learned of how fast the endpoints are, and of how much conversations come back
//	positions  what to ask for next
//
// Endpoints travel by address, because each gateway numbers its own; gateways by incarnation, a number drawn at their start;
// time by age, because clocks differ. An address or incarnation is written once in a page and is a small number from then on.
// An entry whose prompt begins like that of a recent entry of the page refers to it; sizes of blocks are runs. So a turn of
// a conversation costs a few hashes.
//
// Ask and page end in a message authentication code under the gateways' secret (Key), over a number that the asker draws:
// an answer belongs to its ask, and a page of another version, secret or way of hashing (Dialect) is refused as a whole.
// Integers are little-endian; "varint" is that of Go's encoding/binary.
package news

import (
	"encoding/binary"
	"errors"
)

// Version is that of ask and page. Gateways of different versions ignore each other.
const Version = 10

// Bounds of a page, for both ends: what a peer can cost in memory and time.
const (
	MaxPage      = 64 << 10 // bytes
	MaxEntries   = 1 << 10
	MaxBlocks    = 1 << 14 // of all entries, those that are shared counted each time
	MaxGateways  = 256     // whose load or entries a page has
	MaxEndpoints = 1 << 10
	MaxLogs      = 1 << 11   // positions: of as many workers as a proxy may have, and more
	maxAddress   = 64        // bytes
	maxAge       = 1 << 40   // ms
	maxUsed      = 1<<32 - 1 // ms
	maxInFlight  = 1 << 20
)

// The faults of an ask or a page.
var (
	ErrVersion = errors.New("news of another version")
	ErrDialect = errors.New("news of a gateway that hashes prompts otherwise (block_bytes differs)")
	ErrSecret  = errors.New("news whose code is wrong: another secret, or damaged")
	ErrFormat  = errors.New("news of no known form")
)

// Ask is a request for news.
type Ask struct {
	From     uint64   // the asker's incarnation
	Number   uint64   // which the page repeats
	Dialect  uint64   // how the asker hashes prompts
	Of       uint64   // the incarnation that Positions are of; 0: nothing is known of the gateway asked
	Snapshot bool     // the asker is new: entries of other gateways are wanted as well, from the oldest on
	Speeds   bool     // what the asked gateway has learned of the endpoints' speed is wanted as well
	Relay    bool     // entries and loads that the asked gateway has from others itself are wanted as well
	Hold     int64    // ms, at most mostHold: the answer may wait so long for something to tell
	At       []uint64 // the next entry that is wanted, by log, as the last page had it
}

const (
	askHead      = 2 + 4*8
	askSnapshot  = 1
	askRelay     = 2
	askSpeeds    = 4
	flagBits     = 3 // below the version; two until version 2
	codeLength   = 8
	askTag       = 'A' // first byte, before the version
	pageTag      = 'P'
	maxAskLength = askHead + 2 + 10 + 10*MaxLogs + codeLength
	mostHold     = 10_000
)

// Append appends the ask, with its code.
func (a *Ask) Append(dst []byte, key Key) []byte {
	start, flags := len(dst), byte(0)
	if a.Snapshot {
		flags |= askSnapshot
	}
	if a.Relay {
		flags |= askRelay
	}
	if a.Speeds {
		flags |= askSpeeds
	}
	dst = append(dst, askTag, Version<<flagBits|flags)
	for _, v := range [...]uint64{a.From, a.Number, a.Dialect, a.Of} {
		dst = binary.LittleEndian.AppendUint64(dst, v)
	}
	dst = binary.AppendUvarint(dst, uint64(min(max(a.Hold, 0), mostHold)))
	dst = appendPositions(dst, a.At)
	return binary.LittleEndian.AppendUint64(dst, key.Sum(dst[start:]))
}

// Read reads an ask.
func (a *Ask) Read(b []byte, key Key) error {
	body, err := opened(b, askTag, key)
	if err != nil {
		return err
	}
	if len(body) < askHead {
		return ErrFormat
	}
	number := func(i int) uint64 { return binary.LittleEndian.Uint64(body[2+8*i:]) }
	a.Snapshot, a.Relay, a.Speeds = body[1]&askSnapshot != 0, body[1]&askRelay != 0, body[1]&askSpeeds != 0
	a.From, a.Number, a.Dialect, a.Of = number(0), number(1), number(2), number(3)
	hold, rest, ok := uvarint(body[askHead:], mostHold)
	if !ok {
		return ErrFormat
	}
	a.Hold = int64(hold)
	at, rest, ok := readPositions(a.At[:0], rest)
	if a.At = at; !ok || len(rest) > 0 {
		return ErrFormat
	}
	return nil
}

// Sender is one number for the gateway that has sent an ask and the pool that it means, and the ask's own number: 0 if it is none. Its code is
// not looked at.
//
//go:noinline
func Sender(ask []byte) (key, number uint64) {
	if len(ask) < askHead {
		return 0, 0
	}
	at := func(i int) uint64 { return binary.LittleEndian.Uint64(ask[2+8*i:]) }
	return at(0) + 0x9E3779B97F4A7C15*at(2), at(1)
}

// opened checks tag, version and code, and returns what is before the code.
func opened(b []byte, tag byte, key Key) ([]byte, error) {
	if len(b) < 2+codeLength || len(b) > MaxPage+maxAskLength || b[0] != tag {
		return nil, ErrFormat
	}
	if b[1]>>flagBits != Version {
		return nil, ErrVersion
	}
	body := b[:len(b)-codeLength]
	if key.Sum(body) != binary.LittleEndian.Uint64(b[len(body):]) {
		return nil, ErrSecret
	}
	return body, nil
}

// appendPositions appends the number of logs and a varint for each.
func appendPositions(dst []byte, at []uint64) []byte {
	at = at[:min(len(at), MaxLogs)]
	dst = binary.AppendUvarint(dst, uint64(len(at)))
	for _, next := range at {
		dst = binary.AppendUvarint(dst, next)
	}
	return dst
}

func readPositions(dst []uint64, b []byte) (at []uint64, rest []byte, ok bool) {
	n, b, ok := uvarint(b, MaxLogs)
	for range n {
		var next uint64
		if next, b, ok = uvarint(b, 1<<63); !ok {
			return dst, nil, false
		}
		dst = append(dst, next)
	}
	return dst, b, ok
}

// uvarint reads a varint of at most most.
func uvarint(b []byte, most uint64) (v uint64, rest []byte, ok bool) {
	v, n := binary.Uvarint(b)
	if n <= 0 || v > most {
		return 0, nil, false
	}
	return v, b[n:], true
}
