package share

import (
	"encoding/binary"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/pool"
)

// A log's entries are in pages of pageEntries each by their numbers, so that what a busy worker logs in a while is one value to write
// and to read. The last page is part of the worker's slot, which is written and read with each of its entries anyway, and gets a value
// of its own when it is full, or too long for the slot. Before each entry is its length, 32 bits.
const (
	// pageEntries: of fewer more calls are made, of more a worker with few requests writes the same entries again and again.
	pageEntries = 8
	logPages    = logEntries/pageEntries + 1 // one more: the last page is not full

	// slotPage is the longest page in a slot, in bytes: seven prompts of 4 KB, and a slot is copied for each request of any worker.
	slotPage = 2 << 10

	keyDigits = 3 // hexadecimal, of a place in a ring
	sizeBytes = 4
)

// pageOf is the first entry of the page with entry n.
func pageOf(n uint64) uint64 { return n - n%pageEntries }

// inSlot says whether the last page is part of the slot.
func (b *Board) inSlot() bool { return len(b.page) <= slotPage }

// pageKey is the key of the page with entry n of the log of slot i's owner. Keys of peers' logs are not kept, for there may be hundreds:
// one is valid until the next call, for Get.
func (b *Board) pageKey(i int, n uint64) string {
	p, place := b.peer(i), n/pageEntries%logPages
	if i != b.slot {
		b.peerKey = appendKey(b.peerKey[:0], p.slotKey, place)
		return bytestr.View(b.peerKey)
	}
	if p.logKeys == nil {
		p.logKeys = make([]string, logPages)
	}
	key := &p.logKeys[place]
	if *key == "" {
		*key = string(appendKey(nil, p.slotKey, place))
	}
	return *key
}

// appendKey appends the key of a place in the log of that name.
func appendKey(dst []byte, name string, place uint64) []byte {
	return bytestr.AppendHex(append(append(dst, name...), '.'), place, keyDigits)
}

// entryOf is the entry of that number in a page, however broken that is; nil: it has none.
func entryOf(page []byte, number uint64) []byte {
	for len(page) >= sizeBytes {
		size, rest := binary.LittleEndian.Uint32(page), page[sizeBytes:]
		if size < entryHead || uint64(size) > uint64(len(rest)) {
			return nil
		}
		if binary.LittleEndian.Uint64(rest) == number {
			return rest[:size]
		}
		page = rest[size:]
	}
	return nil
}

// toPage adds an entry to the log's last page, and begins another when it is full.
func (b *Board) toPage(action uint32, v *pool.Visit) {
	from := len(b.page)
	b.page = b.appendEntry(binary.LittleEndian.AppendUint32(b.page, 0), b.next, action, v)
	binary.LittleEndian.PutUint32(b.page[from:], uint32(len(b.page)-from-sizeBytes))
	b.next++
	b.unwritten = true
	if b.next%pageEntries == 0 {
		b.writePage()
		b.page = b.page[:0]
	}
}

// writePage gives the page a value of its own.
func (b *Board) writePage() {
	b.store.Set(b.pageKey(b.slot, b.next-1), b.page, 0)
	b.unwritten = false
}

// resumePage takes over the entries before the log's next one that the last owner of slot i has put on the same page.
func (b *Board) resumePage(i int, value []byte) {
	b.page, b.unwritten = b.page[:0], false
	page := lastPageOf(value)
	if len(page) == 0 {
		page, _, _ = b.store.Get(b.pageKey(i, b.next))
	}
	for n := pageOf(b.next); n < b.next; n++ {
		if entry := entryOf(page, n); entry != nil {
			b.page = append(binary.LittleEndian.AppendUint32(b.page, uint32(len(entry))), entry...)
		}
	}
}

// Retire empties this worker's log. Shared data cannot forget a key, and the name of a pool that has made room may never come back.
func (b *Board) Retire() {
	if b.slot < 0 {
		return
	}
	key := b.peer(b.slot).slotKey
	value, version, _ := b.store.Get(key)
	if !b.owns(value) { // it was stopped for so long that another worker has the slot
		return
	}
	for n := range uint64(logPages) {
		key := b.pageKey(b.slot, n*pageEntries)
		if page, _, _ := b.store.Get(key); len(page) > 0 {
			b.store.Set(key, nil, 0)
		}
	}
	b.store.Set(key, value[:len(value)-len(lastPageOf(value))], version)
}
