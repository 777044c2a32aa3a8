package scout

import (
	"encoding/binary"

	"warmroute/plugin/config"
	"warmroute/plugin/load"
	"warmroute/plugin/ring"
)

// roster is the endpoints of the pool by index. An endpoint keeps its index as long as it is there, and the index of
// one that left is given to another only after a while, when nothing is in flight there: so the workers need not
// change over at once. An index that changes hands begins a new epoch.
type roster struct {
	vnodes int
	known  bool // what the endpoints are
	epoch  uint32
	rows   []row
	where  map[string]int // the row of an address; remade with the rows
	last   string         // as it was read
}

type row struct {
	endpoint config.Endpoint
	present  bool
	healthy  bool
	draining bool
	left     int64 // ns: when it left
}

const (
	// quarantine is how long an index stays unused after its endpoint has left, in ns.
	quarantine = 60e9
	// mostWeight bounds the weight of an endpoint, as the configuration does.
	mostWeight = 1000
)

// update brings the roster in line with what was found, and reports whether that changed anything. clusters says that
// it matters by which cluster an endpoint is reached.
func (r *roster) update(found []load.Discovered, clusters bool, now int64, inUse func(i int) bool) (changed bool) {
	if r.where == nil {
		r.index()
	}
	divisor, priority := weigh(found, r.vnodes), preferred(found)
	seen := make([]bool, len(r.rows), len(r.rows)+len(found))
	for i := range found {
		d := &found[i]
		at, known := r.where[d.Address]
		if !known {
			if at = r.place(now, inUse, seen); at == load.MaxDiscovered {
				continue
			}
			for len(seen) < len(r.rows) {
				seen = append(seen, false)
			}
			r.where[d.Address] = at
		}
		seen[at] = true
		next := row{
			endpoint: config.Endpoint{Address: d.Address, Weight: min(max(d.Weight/divisor, 1), mostWeight)},
			present:  true, healthy: d.Healthy, draining: d.Draining || d.Priority > priority,
		}
		if clusters {
			next.endpoint.Cluster = d.Cluster
		}
		if r.rows[at] != next {
			r.rows[at], changed = next, true
		}
	}
	for i := range r.rows {
		if row := &r.rows[i]; row.present && !seen[i] {
			row.present, row.left, changed = false, now, true
		}
	}
	changed = changed || !r.known
	r.known = true
	return changed
}

// place is the index for an endpoint that has none: that of one that left long ago, else a new one.
func (r *roster) place(now int64, inUse func(i int) bool, seen []bool) int {
	for i := range r.rows {
		row := &r.rows[i]
		row.left = min(row.left, now) // the clock may have been set back
		if !row.present && (i >= len(seen) || !seen[i]) && now-row.left >= quarantine && !inUse(i) {
			delete(r.where, row.endpoint.Address)
			r.epoch++
			return i
		}
	}
	if len(r.rows) == load.MaxDiscovered {
		return load.MaxDiscovered
	}
	r.rows = append(r.rows, row{})
	return len(r.rows) - 1
}

func (r *roster) index() {
	r.where = make(map[string]int, len(r.rows))
	for i := range r.rows {
		r.where[r.rows[i].endpoint.Address] = i
	}
}

// weigh is by what the weights are divided: what all have in common, and more where the ring would get too large.
func weigh(found []load.Discovered, vnodes int) int {
	common, total := 0, int64(0) // an int has 32 bits in the module
	for i := range found {
		for a, b := common, found[i].Weight; ; a, b = b%max(a, 1), a { // Euclid
			if a == 0 {
				common = b
				break
			}
		}
		total += int64(found[i].Weight)
	}
	room := int64(max(ring.MaxPoints/max(vnodes, 1)-len(found), 1)) // each takes at least one
	return max(common, int(min((total+room-1)/room, 1<<30)), 1)
}

// preferred is the priority in force: the first that has an endpoint which is well (0 is the highest).
func preferred(found []load.Discovered) int {
	best, any := 0, false
	for i := range found {
		if d := &found[i]; d.Healthy && !d.Draining && (!any || d.Priority < best) {
			best, any = d.Priority, true
		}
	}
	if !any {
		return 1 << 30
	}
	return best
}

// A roster, little-endian: version (1), epoch (32 bits), rows (16); each row: flags (8), weight (16),
// when it left (64), the address's length (8), the cluster's (16), address, cluster.
const (
	rosterVersion = 1
	rosterHead    = 7
	rowHead       = 14

	flagPresent  = 1
	flagHealthy  = 2
	flagDraining = 4
)

func (r *roster) append(dst []byte) []byte {
	dst = append(dst, rosterVersion)
	dst = binary.LittleEndian.AppendUint32(dst, r.epoch)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(r.rows)))
	for i := range r.rows {
		row := &r.rows[i]
		flags := byte(0)
		for bit, set := range [...]bool{row.present, row.healthy, row.draining} {
			if set {
				flags |= 1 << bit
			}
		}
		dst = append(dst, flags)
		dst = binary.LittleEndian.AppendUint16(dst, uint16(row.endpoint.Weight))
		dst = binary.LittleEndian.AppendUint64(dst, uint64(row.left))
		dst = append(dst, byte(len(row.endpoint.Address)))
		dst = binary.LittleEndian.AppendUint16(dst, uint16(len(row.endpoint.Cluster)))
		dst = append(append(dst, row.endpoint.Address...), row.endpoint.Cluster...)
	}
	return dst
}

// read takes over a published roster, and reports whether it is another than it was. One that cannot be read, by a
// leader of another version, is ignored.
func (r *roster) read(value []byte) (changed bool) {
	if len(value) < rosterHead || value[0] != rosterVersion {
		return false
	}
	if r.known && string(value) == r.last {
		return false
	}
	n := int(binary.LittleEndian.Uint16(value[5:]))
	rows := make([]row, 0, min(n, load.MaxDiscovered))
	for rest := value[rosterHead:]; len(rows) < n; {
		if len(rest) < rowHead {
			return false
		}
		address, cluster := int(rest[11]), int(binary.LittleEndian.Uint16(rest[12:]))
		if len(rest) < rowHead+address+cluster || len(rows) == load.MaxDiscovered {
			return false
		}
		text := rest[rowHead : rowHead+address+cluster]
		rows = append(rows, row{
			endpoint: config.Endpoint{
				Address: string(text[:address]), Cluster: string(text[address:]),
				Weight: max(int(binary.LittleEndian.Uint16(rest[1:])), 1),
			},
			present: rest[0]&flagPresent != 0, healthy: rest[0]&flagHealthy != 0, draining: rest[0]&flagDraining != 0,
			left: int64(binary.LittleEndian.Uint64(rest[3:])),
		})
		rest = rest[rowHead+address+cluster:]
	}
	r.known, r.epoch, r.rows, r.where = true, binary.LittleEndian.Uint32(value[1:]), rows, nil
	r.last = string(value)
	return true
}
