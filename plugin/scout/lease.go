package scout

import "encoding/binary"

// One worker at a time leads, and asks for all: it holds a lease and renews it. The record, little-endian, 16 bytes:
//
//	0  version (1), how weak it is (weakness), and 2 unused bytes
//	4  the worker's ID, 32 bits
//	8  end of the lease, nanoseconds, 64 bits

const (
	leaseVersion = 1
	leaseSize    = 16

	// maxLease bounds a lease, in nanoseconds. One that ends later is a broken clock's, and may be claimed.
	maxLease = 60e9
)

// lease is the leadership of one worker.
type lease struct {
	owner uint32
	end   int64 // nanoseconds
	weak  uint8 // any worker that is less so may claim it
}

// appendLease appends the record to dst.
func appendLease(dst []byte, l lease) []byte {
	dst = append(dst, leaseVersion, l.weak, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, l.owner)
	return binary.LittleEndian.AppendUint64(dst, uint64(l.end))
}

// readLease reads a record; ok is false if it is not one of this version.
func readLease(record []byte) (l lease, ok bool) {
	if len(record) != leaseSize || record[0] != leaseVersion {
		return lease{}, false
	}
	return lease{
		owner: binary.LittleEndian.Uint32(record[4:]),
		end:   int64(binary.LittleEndian.Uint64(record[8:])),
		weak:  record[1],
	}, true
}

// standing is a worker's place in the election.
type standing uint8

const (
	follower standing = iota // another worker leads: nothing to write
	leader                   // this one leads, with enough time left: nothing to write
	renew                    // this one leads: write the lease by compare and swap; if that fails, it is a follower
	claim                    // none leads: write the lease by compare and swap; if that succeeds, this one leads
)

// elect returns the standing of worker self at time now, given the current record (nil: there is none), and the lease to
// write for renew and claim. A lease runs for length nanoseconds, 1 to maxLease, and is renewed when half of it is over:
// a leader that ticks at least twice in it keeps it, unless one comes that is less weak.
func elect(record []byte, self uint32, now, length int64, weak uint8) (lease, standing) {
	length = min(max(length, 1), maxLease)
	next := lease{owner: self, end: now + length, weak: weak}
	current, ok := readLease(record)
	left := current.end - now
	switch {
	case !ok || left <= 0 || left > maxLease:
		return next, claim
	case current.owner != self && current.weak > weak:
		return next, claim
	case current.owner != self:
		return current, follower
	case left > length/2 && current.weak == weak:
		return current, leader
	}
	return next, renew
}
