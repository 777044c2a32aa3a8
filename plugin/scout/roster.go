package scout

import (
	"encoding/binary"

	"warmroute/plugin/clusters"
	"warmroute/plugin/config"
	"warmroute/plugin/ring"
)

// roster is the endpoints of the pool by index. An endpoint keeps its index as long as it is there. The index of one that
// has left is reused only after a while, and when nothing is in flight there: so the workers need not change over at
// once. A reused index begins a new epoch.
type roster struct {
	vnodes int
	known  bool // the endpoints were read or published
	epoch  uint32
	rows   []row
	where  map[string]int // the row of an address; remade with the rows
	last   string         // the value that was read last
}

type row struct {
	endpoint config.Endpoint
	present  bool
	healthy  bool
	draining bool
	left     int64 // nanoseconds: when it left; while it is present, since when it is out because the list was empty, or 0
}

const (
	// quarantine is how long an index stays unused after its endpoint has left, in nanoseconds, and endpoints stay that an empty list lacks: few
	// servers load a model in less.
	quarantine = 60e9
	// maxWeight bounds the weight of an endpoint, as the configuration does.
	maxWeight = 1000
)

// update makes the roster that of the hosts, and reports whether that changed anything. withClusters says that an
// endpoint's cluster counts: requests are steered by it. Where there are none at all, which a failed probe at each or a fault of the control
// plane may make so for a moment, all are out for a while before they leave, until each is listed again: they have nothing to serve meanwhile, and
// keep their caches.
func (r *roster) update(hosts []clusters.Host, withClusters bool, now int64, inUse func(i int) bool) (changed bool) {
	if r.where == nil {
		r.index()
	}
	divisor, priority := weightDivisor(hosts, r.vnodes), activePriority(hosts)
	seen := make([]bool, len(r.rows), len(r.rows)+len(hosts))
	for i := range hosts {
		h := &hosts[i]
		at, known := r.where[h.Address]
		if !known {
			if at = r.allocate(now, inUse, seen); at == clusters.MaxHosts {
				continue
			}
			for len(seen) < len(r.rows) {
				seen = append(seen, false)
			}
			r.where[h.Address] = at
		}
		seen[at] = true
		next := row{
			endpoint: config.Endpoint{Address: h.Address, Listener: h.Listener, Weight: min(max(h.Weight/divisor, 1), maxWeight), Zone: h.Zone},
			present:  true, healthy: h.Healthy, draining: h.Draining || h.Priority > priority,
		}
		if withClusters {
			next.endpoint.Cluster = h.Cluster
		}
		if r.rows[at] != next {
			r.rows[at], changed = next, true
		}
	}
	for i := range r.rows {
		row := &r.rows[i]
		switch {
		case !row.present || seen[i]:
		case row.left > now: // the clock was set back
			row.left = now
		case row.left == 0 && len(hosts) == 0:
			row.healthy, row.left, changed = false, max(now, 1), true
		case row.left == 0 || now-row.left >= quarantine:
			row.present, row.left, changed = false, now, true
		}
	}
	changed = changed || !r.known
	r.known = true
	return changed
}

// allocate is the index for an endpoint that has none: that of one that left long ago, else a new one; clusters.MaxHosts
// if there is none.
func (r *roster) allocate(now int64, inUse func(i int) bool, seen []bool) int {
	for i := range r.rows {
		row := &r.rows[i]
		row.left = min(row.left, now) // the clock may have been set back
		if !row.present && (i >= len(seen) || !seen[i]) && now-row.left >= quarantine && !inUse(i) {
			delete(r.where, row.endpoint.Address)
			r.epoch++
			return i
		}
	}
	if len(r.rows) == clusters.MaxHosts {
		return clusters.MaxHosts
	}
	r.rows = append(r.rows, row{})
	return len(r.rows) - 1
}

// taken is how many indices no other endpoint can have yet.
func (r *roster) taken(now int64) (n int) {
	for i := range r.rows {
		if r.rows[i].present || now-r.rows[i].left < quarantine {
			n++
		}
	}
	return n
}

func (r *roster) index() {
	r.where = make(map[string]int, len(r.rows))
	for i := range r.rows {
		r.where[r.rows[i].endpoint.Address] = i
	}
}

// weightDivisor is by what the weights are divided: their greatest common divisor, or more if the ring would get too
// large.
func weightDivisor(hosts []clusters.Host, vnodes int) int {
	common, total := 0, int64(0) // an int has 32 bits in the module
	for i := range hosts {
		for a, b := common, hosts[i].Weight; ; a, b = b%max(a, 1), a { // Euclid
			if a == 0 {
				common = b
				break
			}
		}
		total += int64(hosts[i].Weight)
	}
	room := int64(max(ring.MaxPoints/max(vnodes, 1)-len(hosts), 1)) // each takes at least one
	return max(common, int(min((total+room-1)/room, 1<<30)), 1)
}

// overprovisioned is how much of a level's load its healthy endpoints can take, as a multiple of their share: Envoy's default
// overprovisioning factor.
const overprovisioned = 1.4

// activePriority is the lowest priority in force, which has the highest number: as in Envoy, levels are in force from the highest
// priority on until their healthy endpoints can take all requests. A level can take 1.4 times the share of its endpoints that are
// healthy, so the next one is in force from 72 % on. Those that are degraded are in force where all levels together are too few.
func activePriority(hosts []clusters.Host) int {
	able := 0.0
	for level := 0; ; level++ {
		next, all, healthy := 1<<30, 0, 0
		for i := range hosts {
			h, of := &hosts[i], hosts[i].Priority&(clusters.Degraded-1)
			switch {
			case of < level:
			case of < next:
				next, all, healthy = of, 0, 0
				fallthrough
			case of == next:
				all++
				if h.Healthy && !h.Draining && h.Priority == of {
					healthy++
				}
			}
		}
		if next == 1<<30 {
			return next // all together are too few
		}
		if able += overprovisioned * float64(healthy) / float64(all); able >= 1 {
			return next
		}
		level = next
	}
}

// A roster, little-endian: version (1), epoch (32 bits), rows (16); each row: flags (8), weight (16),
// when it left (64), the lengths of the address (8), the cluster (16), the zone (8) and the listener (8), and these four.
const (
	rosterVersion = 3
	rosterHead    = 7
	rowHead       = 16

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
		dst = append(dst, byte(len(row.endpoint.Zone)), byte(len(row.endpoint.Listener)))
		dst = append(append(append(dst, row.endpoint.Address...), row.endpoint.Cluster...), row.endpoint.Zone...)
		dst = append(dst, row.endpoint.Listener...)
	}
	return dst
}

// read takes over a published roster, and reports whether it has changed. One that cannot be read, because the leader has
// another version, is ignored.
func (r *roster) read(value []byte) (changed bool) {
	if len(value) < rosterHead || value[0] != rosterVersion {
		return false
	}
	if r.known && string(value) == r.last {
		return false
	}
	n := int(binary.LittleEndian.Uint16(value[5:]))
	rows := make([]row, 0, min(n, clusters.MaxHosts))
	for rest := value[rosterHead:]; len(rows) < n; {
		if len(rest) < rowHead {
			return false
		}
		address := rowHead + int(rest[11]) // where each of the texts ends
		cluster := address + int(binary.LittleEndian.Uint16(rest[12:]))
		zone := cluster + int(rest[14])
		end := zone + int(rest[15])
		if len(rest) < end || len(rows) == clusters.MaxHosts {
			return false
		}
		rows = append(rows, row{
			endpoint: config.Endpoint{
				Address: string(rest[rowHead:address]), Cluster: string(rest[address:cluster]), Zone: string(rest[cluster:zone]), Listener: string(rest[zone:end]),
				Weight: min(max(int(binary.LittleEndian.Uint16(rest[1:])), 1), maxWeight), // else it may not fit on the ring
			},
			present: rest[0]&flagPresent != 0, healthy: rest[0]&flagHealthy != 0, draining: rest[0]&flagDraining != 0,
			left: int64(binary.LittleEndian.Uint64(rest[3:])),
		})
		rest = rest[end:]
	}
	r.known, r.epoch, r.rows, r.where = true, binary.LittleEndian.Uint32(value[1:]), rows, nil
	r.last = string(value)
	return true
}
