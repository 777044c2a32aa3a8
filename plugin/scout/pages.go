package scout

import (
	"encoding/binary"
	"math"

	"warmroute/plugin/load"
)

// pages is the last page of metrics of each endpoint, as it is published: little-endian, version (1), epoch of the
// roster (32 bits), endpoints (16), then for each a record of when it was read, in ns (64), what it has (16), and as
// 64-bit floats requests running and waiting, the cache's use, its tokens, and the tokens that were looked up in it.
// All zero: none was read.
type pages struct{ records []byte }

const (
	pagesVersion = 1
	pagesHead    = 7
	record       = 8 + 2 + 5*8
	published    = load.HasRunning | load.HasWaiting | load.HasKVUsage | load.HasKVTokens | load.HasCacheTokens
)

func (p *pages) clear() { p.records = p.records[:0] }

// at is when endpoint i's page was read, in ns; 0 where none was.
func (p *pages) at(i int) int64 {
	if len(p.records) < (i+1)*record {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(p.records[i*record:]))
}

// set notes a page of endpoint i.
func (p *pages) set(i int, now int64, s *load.Sample) {
	for len(p.records) < (i+1)*record {
		p.records = append(p.records, make([]byte, record)...)
	}
	to := p.records[i*record : i*record : (i+1)*record]
	to = binary.LittleEndian.AppendUint64(to, uint64(now))
	to = binary.LittleEndian.AppendUint16(to, uint16(s.Has&published))
	for _, v := range [...]float64{s.Running, s.Waiting, s.KVUsage, s.KVTokens, s.CacheQueries} {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
	}
}

func (p *pages) append(dst []byte, epoch uint32) []byte {
	dst = append(dst, pagesVersion)
	dst = binary.LittleEndian.AppendUint32(dst, epoch)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(p.records)/record))
	return append(dst, p.records...)
}

// read takes over what was published for the same epoch, and tells of each page that is new, for the first n endpoints.
func (p *pages) read(value []byte, epoch uint32, n int, tell func(i int, at int64, s *load.Sample)) {
	if len(value) < pagesHead || value[0] != pagesVersion || binary.LittleEndian.Uint32(value[1:]) != epoch ||
		len(value) != pagesHead+int(binary.LittleEndian.Uint16(value[5:]))*record {
		return
	}
	records := value[pagesHead:]
	for i := range min(len(records)/record, n) {
		r := records[i*record : (i+1)*record]
		at := int64(binary.LittleEndian.Uint64(r))
		if at == 0 || at == p.at(i) {
			continue
		}
		float := func(k int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(r[10+8*k:])) }
		tell(i, at, &load.Sample{
			Has:     load.Fields(binary.LittleEndian.Uint16(r[8:])) & published,
			Running: float(0), Waiting: float(1), KVUsage: float(2), KVTokens: float(3), CacheQueries: float(4),
		})
	}
	p.records = append(p.records[:0], records...)
}
