package scout

import (
	"encoding/binary"
	"math"

	"warmroute/plugin/exposition"
)

// metrics is the last metrics of each endpoint, as they are published: little-endian, version (1), epoch of the roster
// (32 bits), endpoints (16), then a record for each: when the page was read, in nanoseconds (64), the fields it has, and whether it ended early (16),
// and as 64-bit floats the requests running and waiting, the tokens that the cache holds and the share of them in
// use, the tokens that were looked up in it, those of them that were found, those that another tier has room for, and those that a
// hit is a multiple of. A record of zeros: no page was read. If an endpoint has LoRA adapters, another record for each endpoint
// follows: how many can be loaded (16), and the keys of those used last (32 each).
type metrics struct {
	records  []byte
	adapters []byte // empty: no endpoint has any
}

const (
	metricsVersion = 5
	metricsHead    = 7
	metricsRecord  = 8 + 2 + 8*8
	adaptersRecord = 2 + 4*exposition.MaxAdapters

	endedEarly = 1 << 15 // beside the fields
)

func (m *metrics) clear() { m.records, m.adapters = m.records[:0], m.adapters[:0] }

// at is when endpoint i's page was read, in nanoseconds; 0 if none was.
func (m *metrics) at(i int) int64 {
	if len(m.records) < (i+1)*metricsRecord {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(m.records[i*metricsRecord:]))
}

// set records a page of endpoint i.
func (m *metrics) set(i int, now int64, l *exposition.Load) {
	for len(m.records) < (i+1)*metricsRecord {
		m.records = append(m.records, make([]byte, metricsRecord)...)
	}
	has := uint16(l.Has)
	if l.Truncated {
		has |= endedEarly
	}
	to := m.records[i*metricsRecord : i*metricsRecord : (i+1)*metricsRecord]
	to = binary.LittleEndian.AppendUint64(to, uint64(now))
	to = binary.LittleEndian.AppendUint16(to, has)
	for _, v := range [...]float64{l.Running, l.Waiting, l.KVTokens, l.KVUsage, l.CacheQueries, l.CacheHits, l.TierTokens, l.HitTokens} {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
	}
	if l.Has&exposition.HasAdapters != 0 || len(m.adapters) > 0 {
		m.setAdapters(i, l)
	}
}

func (m *metrics) setAdapters(i int, l *exposition.Load) {
	for len(m.adapters) < (i+1)*adaptersRecord {
		m.adapters = append(m.adapters, make([]byte, adaptersRecord)...)
	}
	to := m.adapters[i*adaptersRecord : i*adaptersRecord : (i+1)*adaptersRecord]
	to = binary.LittleEndian.AppendUint16(to, uint16(l.AdapterSlots))
	for _, key := range l.Adapters {
		to = binary.LittleEndian.AppendUint32(to, key)
	}
}

// getAdapters reads the record of endpoint i, of all such records.
func getAdapters(records []byte, i int, l *exposition.Load) {
	if len(records) < (i+1)*adaptersRecord {
		return
	}
	r := records[i*adaptersRecord:]
	l.AdapterSlots = int(binary.LittleEndian.Uint16(r))
	for k := range l.Adapters {
		l.Adapters[k] = binary.LittleEndian.Uint32(r[2+4*k:])
	}
}

func (m *metrics) append(dst []byte, epoch uint32) []byte {
	dst = append(dst, metricsVersion)
	dst = binary.LittleEndian.AppendUint32(dst, epoch)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(m.records)/metricsRecord))
	return append(append(dst, m.records...), m.adapters...)
}

// read takes over what was published for the same epoch, and calls update for each page that is new, of the first n
// endpoints.
func (m *metrics) read(value []byte, epoch uint32, n int, update func(i int, at int64, l *exposition.Load)) {
	if len(value) < metricsHead || value[0] != metricsVersion || binary.LittleEndian.Uint32(value[1:]) != epoch {
		return
	}
	end := metricsHead + int(binary.LittleEndian.Uint16(value[5:]))*metricsRecord
	if len(value) < end || (len(value)-end)%adaptersRecord != 0 {
		return
	}
	records, adapters := value[metricsHead:end], value[end:]
	for i := range min(len(records)/metricsRecord, n) {
		r := records[i*metricsRecord : (i+1)*metricsRecord]
		at := int64(binary.LittleEndian.Uint64(r))
		if at == 0 || at == m.at(i) {
			continue
		}
		float := func(k int) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(r[10+8*k:])) }
		has := binary.LittleEndian.Uint16(r[8:])
		l := exposition.Load{
			Has: exposition.Fields(has &^ endedEarly), Truncated: has&endedEarly != 0,
			Running: float(0), Waiting: float(1), KVTokens: float(2), KVUsage: float(3), CacheQueries: float(4), CacheHits: float(5), TierTokens: float(6), HitTokens: float(7),
		}
		getAdapters(adapters, i, &l)
		if l.IsSound() {
			update(i, at, &l)
		}
	}
	m.adapters = append(m.adapters[:0], adapters...)
	m.records = append(m.records[:0], records...)
}

// readMetrics takes over the published metrics.
func (s *Scout) readMetrics() {
	if value, _, ok := s.store.Get(s.metricsKey); ok {
		s.metrics.read(value, s.roster.epoch, len(s.pool.Endpoints), s.pool.ApplyMetrics)
	}
}

// publishMetrics publishes the metrics, if they are new.
func (s *Scout) publishMetrics() {
	if !s.unpublished {
		return
	}
	s.unpublished = false
	s.buffer = s.metrics.append(s.buffer[:0], s.roster.epoch)
	s.store.Set(s.metricsKey, s.buffer, 0)
}
