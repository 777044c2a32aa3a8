package load

import "encoding/binary"

// Who scrapes: one worker at a time leads, by a lease that it renews. The record, little-endian, has 16 bytes:
//
//	0  version (1) and 3 unused bytes
//	4  owner, 32 bits
//	8  end of the lease, nanoseconds, 64 bits

const (
	leaseVersion = 1
	leaseSize    = 16

	// MaxLease bounds a lease, in nanoseconds. One that ends later than that is a broken clock's and may be taken.
	MaxLease = 60e9
)

// Lease is the leadership of one worker.
type Lease struct {
	Owner uint32
	End   int64 // nanoseconds
}

// AppendLease appends the record to dst.
func AppendLease(dst []byte, l Lease) []byte {
	dst = append(dst, leaseVersion, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, l.Owner)
	return binary.LittleEndian.AppendUint64(dst, uint64(l.End))
}

// ReadLease reads a record; false where it is none of this version.
func ReadLease(record []byte) (l Lease, ok bool) {
	if len(record) != leaseSize || record[0] != leaseVersion {
		return Lease{}, false
	}
	return Lease{
		Owner: binary.LittleEndian.Uint32(record[4:]),
		End:   int64(binary.LittleEndian.Uint64(record[8:])),
	}, true
}

// Standing is a worker's place in the election.
type Standing uint8

const (
	Follow Standing = iota // another leads: nothing to write
	Lead                   // this one leads, and for a while yet: nothing to write
	Renew                  // this one leads; write the lease by CAS, and follow where that fails
	Take                   // nobody leads; write the lease by CAS: this one leads where that succeeds
)

// Campaign says how worker self stands at time now, given the record as it is (nil: there is none), and the lease to
// write for Renew and Take. A lease runs for length nanoseconds, 1…MaxLease, and is renewed once half of it is over, so
// that a leader that ticks at least twice in it keeps it.
func Campaign(record []byte, self uint32, now, length int64) (Lease, Standing) {
	length = min(max(length, 1), MaxLease)
	next := Lease{Owner: self, End: now + length}
	current, ok := ReadLease(record)
	left := current.End - now
	switch {
	case !ok || left <= 0 || left > MaxLease:
		return next, Take
	case current.Owner != self:
		return current, Follow
	case left > length/2:
		return current, Lead
	}
	return next, Renew
}
