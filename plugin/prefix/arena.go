package prefix

import "unsafe"

// Indexes take their memory in pieces without pointers. A collector that walks its whole heap, as TinyGo's does, stands still for
// .13 ms for each MB of it, in use or not. So there may be an arena beside the heap: pieces come from there as long as it lasts,
// and from the heap beyond. The collector does not know the arena, so an index that is let go of must be released.

// arena is memory that is not the collector's. The zero arena has none, and counts nothing.
type arena struct {
	base  unsafe.Pointer
	size  int
	used  int
	spare []spares
	most  int // bytes of all indexes' pieces, here and in the heap
	taken int // of these
}

// spares are pieces of one size that were given back.
type spares struct {
	bytes  int
	pieces []unsafe.Pointer
}

var outside arena

// SetArena makes indexes take their pieces from memory, which is zero and nobody else's, while there is some left, and no more than most
// bytes together with what they take from the heap, but for MinIndexBytes each.
func SetArena(memory []byte, most int) {
	const align = 64
	outside = arena{most: most}
	if skip := -int(uintptr(unsafe.Pointer(unsafe.SliceData(memory)))) & (align - 1); skip < len(memory) {
		outside.base, outside.size = unsafe.Pointer(&memory[skip]), len(memory)-skip
	}
}

// take is zeroed memory; nil: there is none.
func (a *arena) take(bytes int) unsafe.Pointer {
	for i := range a.spare {
		if s := &a.spare[i]; s.bytes == bytes && len(s.pieces) > 0 {
			last := len(s.pieces) - 1
			at := s.pieces[last]
			s.pieces = s.pieces[:last]
			clear(unsafe.Slice((*byte)(at), bytes))
			return at
		}
	}
	room := (bytes + 7) &^ 7
	if room > a.size-a.used {
		return nil
	}
	at := unsafe.Add(a.base, a.used)
	a.used += room
	return at
}

// allows says whether an index that has so many bytes may take more: three quarters of all are for whoever comes first, the rest for
// indexes that have little.
func (a *arena) allows(has, more int) bool {
	const little = 256 // of all that there is, divided by that
	all := a.taken + more
	return a.size == 0 || all <= a.most/4*3 || all <= a.most && has+more <= a.most/little || has+more <= MinIndexBytes
}

// give takes back what take gave, and ignores other memory.
func (a *arena) give(at unsafe.Pointer, bytes int) {
	if a.size == 0 {
		return
	}
	if a.taken -= bytes; uintptr(at)-uintptr(a.base) >= uintptr(a.size) {
		return
	}
	for i := range a.spare {
		if s := &a.spare[i]; s.bytes == bytes {
			s.pieces = append(s.pieces, at)
			return
		}
	}
	a.spare = append(a.spare, spares{bytes, []unsafe.Pointer{at}})
}

// newPiece is n zero records, which have no pointers.
func newPiece[T any](n int) []T {
	var record T
	bytes := n * int(unsafe.Sizeof(record))
	if outside.size > 0 {
		outside.taken += bytes
	}
	if at := outside.take(bytes); at != nil {
		return unsafe.Slice((*T)(at), n)
	}
	return make([]T, n)
}

func freePiece[T any](piece []T) {
	var record T
	outside.give(unsafe.Pointer(unsafe.SliceData(piece)), len(piece)*int(unsafe.Sizeof(record)))
}

func freePieces[T any](pieces [][]T) {
	for _, piece := range pieces {
		freePiece(piece)
	}
}

// Release gives the index's memory back. From then on it is empty and stays so.
func (x *Index) Release() {
	freePieces(x.runs.piece)
	freePieces(x.pairs.piece)
	freePieces(x.holders)
	freePieces(x.byHash.heads.piece)
	freePieces(x.byRun.heads.piece)
	n := x.endpoints
	*x = Index{words: 1, secret: x.secret}
	x.pieces(1 << 10)
	x.Grow(n)
}
