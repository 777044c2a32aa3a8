package news

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"warmroute/plugin/prefix"
)

// The vector of the paper's appendix A: the key 00 … 0f and the text 00 … 0e.
func TestSipHash(t *testing.T) {
	key := Key{0x0706050403020100, 0x0f0e0d0c0b0a0908}
	text := []byte{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}
	if got := key.Sum(text); got != 0xa129ca6149be45e5 {
		t.Errorf("got %x, want a129ca6149be45e5", got)
	}
	if a, b := NewKey("a secret"), NewKey("a secre7"); a == b || a.Derive("x") == a.Derive("y") || a.Derive("x") == a.Sum([]byte("x")) {
		t.Error("keys or what is derived from them are alike")
	}
}

func TestAsk(t *testing.T) {
	key := NewKey("a secret")
	for _, want := range []Ask{
		{From: 1, Number: 2, Dialect: 3},
		{From: 1 << 63, Number: 2, Dialect: 3, Of: 4, Snapshot: true, Hold: 200, At: []uint64{1, 1 << 40}},
		{From: 1, Relay: true, At: make([]uint64, MaxLogs)},
	} {
		var got Ask
		text := Hex(want.Append(nil, key))
		if err := got.Read(FromHex(text), key); err != nil || len(got.At) != len(want.At) {
			t.Fatalf("%+v: got %+v, %v", want, got, err)
		}
		if got.At = slices.Clip(got.At); len(got.At) == 0 {
			got.At = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if err := got.Read(FromHex(text), NewKey("another")); err != ErrSecret {
			t.Errorf("with another secret: %v, want %v", err, ErrSecret)
		}
		older := want.Append(nil, key)
		older[1] ^= 1 << flagBits
		if err := got.Read(older, key); err != ErrVersion {
			t.Errorf("of another version: %v, want %v", err, ErrVersion)
		}
	}
	for _, text := range []string{"", "1", "0G", "zz"} {
		if b := FromHex(text); len(b) > 0 {
			t.Errorf("%q reads as %x", text, b)
		}
	}
}

// chats are entries like those of conversations: some begin alike, each grows.
func chats(n int) []Entry {
	random := rand.New(rand.NewPCG(1, 1))
	var entries []Entry
	for i := range n {
		e := Entry{Origin: 7 + uint64(i%3), Endpoint: []string{"10.0.0.1:80", "10.0.0.2:80", "[::1]:80"}[i%3], Age: int64(random.IntN(5000))}
		if i > 0 && random.IntN(3) > 0 {
			last := entries[max(i-1-random.IntN(40), 0)]
			keep := random.IntN(last.Chain.Len() + 1)
			e.Chain.Hash, e.Chain.End = append(e.Chain.Hash, last.Chain.Hash[:keep]...), append(e.Chain.End, last.Chain.End[:keep]...)
		}
		for range 1 + random.IntN(60) {
			end := uint32(0)
			if n := len(e.Chain.End); n > 0 {
				end = e.Chain.End[n-1]
			}
			e.Chain.Hash, e.Chain.End = append(e.Chain.Hash, random.Uint64()), append(e.Chain.End, end+[]uint32{256, 1024, 77}[random.IntN(3)])
		}
		e.Step, e.First = prefix.Step(i%4), random.IntN(e.Chain.Len()+1)
		entries = append(entries, e)
	}
	return entries
}

// What is written is read, in order, until a page is full.
func TestPage(t *testing.T) {
	key, ask := NewKey("a secret"), Ask{From: 5, Number: 6, Dialect: 7}
	var w Writer
	var r Reader
	at := []uint64{9, 1 << 50}
	waiting := []Hold{{0, 12, 20, 0}, {1 << 31, 1, 255, 60_000}}
	loads := []EndpointLoad{{"10.0.0.1:80", Load{3, 1000, 65536, 2, 150, 30}}, {"10.0.0.9:80", Load{Work: 12, Ended: longAgo}}}
	for entries, pages := chats(3000), 0; len(entries) > 0; pages++ {
		w.Begin(99, &ask, true)
		if !w.Load(99, 15, 128, waiting, len(loads), func(i int) (string, Load) { return loads[i].Address, loads[i].Load }) {
			t.Fatal("no room for a load on an empty page")
		}
		n, raw := 0, 0
		for n < len(entries) && w.Entry(&entries[n]) {
			raw += 8 * entries[n].Chain.Len()
			n++
		}
		page := w.End(at, n < len(entries), key)
		t.Logf("page %d: %d entries in %d bytes, whose hashes alone are %d", pages, n, len(page), raw)
		if len(page) > MaxPage || n == 0 || pages > 100 {
			t.Fatalf("page %d: %d bytes with %d entries", pages, len(page), n)
		}
		if err := r.Begin(page, &ask, key); err != nil {
			t.Fatal(err)
		}
		if kind := r.Next(); kind != LoadRecord || r.Gateway != 99 || r.Age != 15 || r.Given != 128 || !slices.Equal(r.Loads, loads) || !slices.Equal(r.Holds, waiting) {
			t.Fatalf("the load reads as %v of %d, age %d, %v, %v", kind, r.Gateway, r.Age, r.Given, r.Loads)
		}
		for i := range n {
			if kind := r.Next(); kind != EntryRecord {
				t.Fatalf("entry %d is of kind %v", i, kind)
			}
			got, want := r.Entry, entries[i]
			if got.Origin != want.Origin || got.Endpoint != want.Endpoint || got.Age != want.Age || got.Step != want.Step || got.First != want.First ||
				!slices.Equal(got.Chain.Hash, want.Chain.Hash) || !slices.Equal(got.Chain.End, want.Chain.End) {
				t.Fatalf("entry %d reads as %+v, want %+v", i, got, want)
			}
		}
		if kind := r.Next(); kind != End || !r.Whole || !slices.Equal(r.At, at) || r.More != (n < len(entries)) || r.From != 99 {
			t.Fatalf("the end reads as %v, %v, %v", kind, r.At, r.More)
		}
		entries = entries[n:]
	}
}

// A page is refused as a whole unless it answers this ask, under this secret, in this way of hashing.
func TestRefused(t *testing.T) {
	key, ask := NewKey("a secret"), Ask{From: 5, Number: 6, Dialect: 7}
	var w Writer
	w.Begin(99, &ask, true)
	w.Entry(&chats(1)[0])
	page := w.End(nil, false, key)
	for name, c := range map[string]struct {
		page []byte
		ask  Ask
		key  Key
		want error
	}{
		"another secret":    {page, ask, NewKey("b"), ErrSecret},
		"another ask":       {page, Ask{From: 5, Number: 8, Dialect: 7}, key, ErrSecret},
		"another dialect":   {page, Ask{From: 5, Number: 6, Dialect: 8}, key, ErrDialect},
		"cut":               {page[:len(page)-1], ask, key, ErrSecret},
		"empty":             {nil, ask, key, ErrFormat},
		"an ask":            {ask.Append(nil, key), ask, key, ErrFormat},
		"another version":   {append([]byte{pageTag, (Version + 1) << flagBits}, page[2:]...), ask, key, ErrVersion},
		"longer":            {append(slices.Clone(page), 1), ask, key, ErrSecret},
		"beyond all bounds": {slices.Concat(page, make([]byte, 2*MaxPage)), ask, key, ErrFormat},
	} {
		var r Reader
		if err := r.Begin(c.page, &c.ask, c.key); err != c.want {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	for i := range page {
		changed := slices.Clone(page)
		changed[i] ^= 1
		var r Reader
		if err := r.Begin(changed, &ask, key); err == nil {
			t.Errorf("a page whose byte %d was changed is read", i)
		}
	}
}

// What a page may hold is bounded, however little of it is written out.
func TestBounds(t *testing.T) {
	var w Writer
	ask := Ask{}
	long := Entry{Origin: 1, Endpoint: "10.0.0.1:80"}
	for i := range prefix.MaxBlocks {
		long.Chain.Hash, long.Chain.End = append(long.Chain.Hash, uint64(i)), append(long.Chain.End, uint32(i+1)*256)
	}
	w.Begin(1, &ask, false)
	n := 0
	for w.Entry(&long) {
		n++
	}
	if n != MaxBlocks/prefix.MaxBlocks {
		t.Errorf("a page has %d entries of %d blocks, want %d", n, prefix.MaxBlocks, MaxBlocks/prefix.MaxBlocks)
	}
	w.Begin(1, &ask, false)
	if w.Entry(&Entry{Endpoint: string(make([]byte, maxAddress+1)), Chain: prefix.Chain{Hash: []uint64{1}, End: []uint32{1}}}) {
		t.Error("an address beyond the bound is written")
	}
	if w.Entry(&Entry{Endpoint: "10.0.0.1:80"}) || w.Entries() != 0 {
		t.Error("an entry without blocks is written")
	}
}

// Whatever the bytes are, with a right code or not, reading them ends, and within the bounds.
func FuzzPage(f *testing.F) {
	key, ask := NewKey("a secret"), Ask{Number: 6, Dialect: 7}
	var w Writer
	w.Begin(99, &ask, true)
	w.Load(99, 15, 128, nil, 1, func(int) (string, Load) { return "10.0.0.1:80", Load{3, 1000, 65536, 2, 150, 30} })
	for _, e := range chats(40) {
		w.Entry(&e)
	}
	page := w.End([]uint64{1, 2}, true, key)
	f.Add(slices.Clone(page[pageHead : len(page)-codeLength]))
	f.Add([]byte{recordEnd, 0, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		w.Begin(99, &ask, true)
		page := append(slices.Clone(w.page), body...)
		page = binary.LittleEndian.AppendUint64(page, key.Sum(page))
		var r Reader
		if err := r.Begin(page, &ask, key); err != nil {
			if len(page) <= MaxPage {
				t.Fatal(err)
			}
			return
		}
		entries, blocks := 0, 0
		var again Writer
		again.Begin(99, &ask, true)
		for kind := r.Next(); kind != End; kind = r.Next() {
			switch kind {
			case Broken:
				if r.Next() != Broken {
					t.Fatal("a broken page goes on")
				}
				return
			case EntryRecord:
				entries, blocks = entries+1, blocks+r.Entry.Chain.Len()
				if len(r.Entry.Chain.End) != len(r.Entry.Chain.Hash) || r.Entry.First > r.Entry.Chain.Len() {
					t.Fatalf("%d sizes for %d blocks", len(r.Entry.Chain.End), len(r.Entry.Chain.Hash))
				}
				again.Entry(&r.Entry)
			case LoadRecord:
				again.Load(r.Gateway, r.Age, r.Given, r.Holds, len(r.Loads), func(i int) (string, Load) { return r.Loads[i].Address, r.Loads[i].Load })
			}
		}
		if entries > MaxEntries || blocks > MaxBlocks || len(r.At) > MaxLogs {
			t.Fatalf("%d entries, %d blocks, %d positions", entries, blocks, len(r.At))
		}
		if len(again.End(r.At, r.More, key)) > MaxPage {
			t.Fatal("written again it is too long")
		}
	})
}

func FuzzAsk(f *testing.F) {
	key := NewKey("a secret")
	ask := Ask{From: 1, Number: 2, Dialect: 3, Of: 4, Snapshot: true, At: []uint64{1, 1 << 40}}
	f.Add(ask.Append(nil, key)[2:42])
	f.Fuzz(func(t *testing.T, body []byte) {
		b := append([]byte{askTag, Version << flagBits}, body...)
		b = binary.LittleEndian.AppendUint64(b, key.Sum(b))
		var ask, again Ask
		if ask.Read(b, key) != nil {
			return
		}
		if err := again.Read(ask.Append(nil, key), key); err != nil || !slices.Equal(again.At, ask.At) || again.From != ask.From {
			t.Fatalf("%+v reads again as %+v, %v", ask, again, err)
		}
		if got := FromHex(Hex(b)); len(b) <= maxAskLength && !bytes.Equal(got, b) {
			t.Fatal("hexadecimal digits read as something else")
		}
	})
}

func BenchmarkPage(b *testing.B) {
	key, ask, entries := NewKey("a secret"), Ask{}, chats(300)
	var w Writer
	var r Reader
	for b.Loop() {
		w.Begin(1, &ask, false)
		for i := range entries {
			if !w.Entry(&entries[i]) {
				break
			}
		}
		page := w.End(nil, true, key)
		b.SetBytes(int64(len(page)))
		if r.Begin(page, &ask, key) != nil {
			b.Fatal("refused")
		}
		for kind := r.Next(); kind != End; kind = r.Next() {
		}
	}
}

// Sums arrive as they were, to 1 in 100,000; what is no sums, or comes twice, breaks the page.
func TestSpeeds(t *testing.T) {
	key := NewKey("a secret of many characters")
	ask := &Ask{From: 1, Number: 2, Dialect: 3, Speeds: true}
	one, two := [11]float64{1, 1, 2000, 0.25, 4e6, 500, 0.0625, 2e6, 4e9, 4e12, 5e5}, [11]float64{100, 50, 1e9, 8, 1e18, 1e10, 64, 1e13, 1e22, 1e26, 1e14}
	for name, c := range map[string]struct {
		sums  [11]float64
		times int
		want  []Speed
	}{
		"two endpoints": {two, 1, []Speed{{Sums: two, Lost: 1, Thrash: [2]float64{254, 3e38}}, {"10.0.0.1:80", one, 0.2, [2]float64{12, 50_000}},
			{"10.0.0.2:80", two, 0.2, [2]float64{0.3, -70_000}}}},
		"not a number":   {two, 1, nil}, // its first sum is written over below
		"without an end": {two, 1, nil},
		"twice":          {two, 2, nil},
	} {
		var w Writer
		w.Begin(7, ask, true)
		for range c.times {
			if !w.Speeds(&[5]float64{3, 4, 5, 6, 7}, Speed{Sums: c.sums, Lost: 1.5, Thrash: [2]float64{1e9, math.Inf(1)}}, 2, func(i int) Speed {
				return Speed{[]string{"10.0.0.1:80", "10.0.0.2:80"}[i], [][11]float64{one, c.sums}[i], 0.2, [][2]float64{{12, 50_000}, {0.3, -70_000}}[i]}
			}) {
				t.Fatalf("%s: there is no room", name)
			}
		}
		if sum := map[string]uint32{"not a number": 0x7fc00000, "without an end": 0x7f800000}[name]; sum != 0 {
			copy(w.page[pageHead+1+HabitsSize:], []byte{byte(sum >> 7), byte(sum >> 15), byte(sum >> 23)})
		}
		var r Reader
		if err := r.Begin(w.End(nil, false, key), ask, key); err != nil {
			t.Fatal(err)
		}
		kind := r.Next()
		for range c.times - 1 {
			kind = r.Next()
		}
		if c.want == nil {
			if kind != Broken {
				t.Errorf("%s: %+v is read", name, r.Speeds)
			}
			continue
		}
		for i := range c.want {
			for k, x := range c.want[i].Sums {
				if got := r.Speeds[i].Sums[k]; math.Abs(got-x) > x/1e5 {
					t.Errorf("%s: sum %d of %q is %v, want %v", name, k, c.want[i].Address, got, x)
				}
			}
			if got := r.Speeds[i].Lost; math.Abs(got-c.want[i].Lost) > 0.004 {
				t.Errorf("%s: %v of the time of %q is lost", name, got, c.want[i].Address)
			}
			for k, x := range c.want[i].Thrash {
				if got := r.Speeds[i].Thrash[k]; math.Abs(got-x) > max(math.Abs(x)/30, 0.05) { // roots of times in 16ths
					t.Errorf("%s: of %q %v is told of what conversations lose, want %v", name, c.want[i].Address, r.Speeds[i].Thrash, c.want[i].Thrash)
				}
			}
			if r.Speeds[i].Address != c.want[i].Address {
				t.Errorf("%s: address %q, want %q", name, r.Speeds[i].Address, c.want[i].Address)
			}
		}
		if r.Habits != [5]float64{3, 4, 5, 6, 7} {
			t.Errorf("%s: habits %v", name, r.Habits)
		}
		if kind != SpeedRecord || r.Next() != End {
			t.Errorf("%s: the page does not end", name)
		}
	}
}

// Whatever a gateway believes, its pages can be read: after its clock was set from 1970 to now, what it has routed before is 56 years old.
func TestNumbersWithoutBounds(t *testing.T) {
	key, ask := NewKey("a secret"), Ask{From: 5, Number: 6, Dialect: 7}
	var w Writer
	var r Reader
	for _, old := range []int64{-1, maxAge + 1, 1 << 62} {
		w.Begin(99, &ask, true)
		w.Load(99, old, 1e300, []Hold{{7, 1 << 40, 9, old}}, 1, func(int) (string, Load) {
			return "10.0.0.1:80", Load{InFlight: math.MaxInt32, Queued: -1, Work: math.Inf(1), Waiting: math.MaxInt32, Begun: old, Ended: old}
		})
		e := chats(1)[0]
		e.Age = old
		w.Entry(&e)
		if w.Entry(&Entry{Endpoint: "10.0.0.1:80", Chain: prefix.Chain{Hash: []uint64{1, 2}, End: []uint32{256, 256}}}) {
			t.Error("an entry with an empty block is written")
		}
		s := Speed{"10.0.0.1:80", [11]float64{1, 1e300, math.Inf(1), math.NaN(), -1, math.MaxFloat32}, math.NaN(), [2]float64{math.NaN(), math.Inf(-1)}}
		w.Speeds(&[5]float64{math.Inf(1), math.NaN(), -1}, s, 1, func(int) Speed { return s })
		if err := r.Begin(w.End(nil, false, key), &ask, key); err != nil {
			t.Fatal(err)
		}
		for _, want := range []Kind{LoadRecord, EntryRecord, SpeedRecord, End} {
			if kind := r.Next(); kind != want || r.Age < 0 || r.Entry.Age < 0 {
				t.Errorf("age %d: a record of kind %d and ages %d and %d, want %d and none below 0", old, kind, r.Age, r.Entry.Age, want)
			}
		}
	}
}
