package prefix

import "unsafe"

// chunks are records of one kind, which have no pointers, in pieces of equal size: it grows by one piece at a time and
// moves nothing. A record is named by its number; 0 names none.
type chunks[T any] struct {
	piece [][]T
	shift uint   // a piece has 1<<shift records
	made  uint32 // records ever used, 0 included
	idle  int    // of those, free
	free  uint32 // the first free record; next says which follows
}

// pieceSize sets the size of a piece: the largest power of two of records within most bytes.
func (c *chunks[T]) pieceSize(most int) {
	var record T
	for c.shift = 3; int(unsafe.Sizeof(record))<<(c.shift+1) <= most; {
		c.shift++
	}
	c.made = 1
}

// bytes is the size of a piece.
func (c *chunks[T]) bytes() int {
	var record T
	return int(unsafe.Sizeof(record)) << c.shift
}

func (c *chunks[T]) at(i uint32) *T { return &c.piece[i>>c.shift][i&(1<<c.shift-1)] }

// room is the records that can be used without another piece.
func (c *chunks[T]) room() int { return c.idle + len(c.piece)<<c.shift - int(c.made) }

// fresh is a record that was never used; there must be room.
func (c *chunks[T]) fresh() uint32 {
	c.made++
	return c.made - 1
}

// add takes one more piece.
func (c *chunks[T]) add() { c.piece = append(c.piece, newPiece[T](1<<c.shift)) }

// table finds records by a hash: linear hashing with a list for each bucket (Litwin, "Linear Hashing: A New Tool for
// File and Table Addressing", VLDB 1980). It grows by a few buckets at a time, so nothing ever waits for all of it to move.
type table struct {
	heads   chunks[uint32]
	level   uint // buckets 0 to 1<<level−1 have been divided that often
	buckets uint32
}

// longest is how many records of a bucket are looked at. Hashes are keyed with a secret, so that a bucket with so many
// does not happen; if it did, the records behind would not be found, and no search would take longer.
const longest = 64

func (t *table) init(most int) {
	t.heads.pieceSize(most)
	t.heads.made = 0
}

// bucket is that of a hash; there must be one.
func (t *table) bucket(hash uint32) uint32 {
	if b := hash & (2<<t.level - 1); b < t.buckets {
		return b
	}
	return hash & (1<<t.level - 1)
}

// first is the first record of a hash's bucket; 0: none.
func (t *table) first(hash uint32) uint32 {
	if t.buckets == 0 {
		return 0
	}
	return *t.heads.at(t.bucket(hash))
}

// head is where the bucket of a hash begins.
func (t *table) head(hash uint32) *uint32 { return t.heads.at(t.bucket(hash)) }

// atOnce is how many buckets are divided one after the other, and readAhead how much of their lists is read before.
const atOnce, readAhead = 16, 2

// next is the lists of the buckets that are divided next, as far as this level goes: n of them.
func (t *table) next() (lists [atOnce]uint32, n int) {
	if t.buckets == 0 {
		return lists, 0
	}
	for at := t.buckets - 1<<t.level; n < atOnce && at < 1<<t.level; n++ {
		lists[n] = *t.heads.at(at)
		at++
	}
	return lists, n
}

// extend adds a bucket; its heads must have room. It empties the one that it divides and returns its list, whose records belong
// there or to the new one.
func (t *table) extend() (list uint32) {
	if t.buckets > 0 {
		divided := t.heads.at(t.buckets - 1<<t.level)
		list, *divided = *divided, 0
	}
	*t.heads.at(t.buckets) = 0
	t.heads.made++
	if t.buckets++; t.buckets == 2<<t.level {
		t.level++
	}
	return list
}
