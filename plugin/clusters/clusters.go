// Package clusters reads a page of Envoy's admin interface, /clusters?format=json (the protobuf message
// envoy.admin.v3.Clusters), and keeps what routing needs of one cluster's hosts. The reader works on pieces of any size,
// builds no tree and allocates nothing while the hosts stay the same.
package clusters

import (
	"bytes"
	"errors"
	"strconv"
	"strings"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/prefix"
)

// Host is one endpoint of a cluster, as Envoy sees it.
type Host struct {
	Address  string // ip:port or [ipv6]:port
	Listener string // of Envoy itself, that leads there; "": none (Name)
	Cluster  string // the cluster it is in: of a service and its subsets, a subset
	Weight   int    // at least 1
	Priority int    // 0 is the highest
	Healthy  bool   // no health check, outlier detection or EDS reports it as unhealthy
	Draining bool   // it is to get no new requests, though it may be healthy
	Zone     string // of its locality, or the region where that has no zone; "": not known
}

// Degraded is added to the priority of a host that is so by EDS or by its answers to health checks: Envoy uses it where all that are well are too few.
const Degraded = 1 << 20

// Bounds of a page.
const (
	MaxHosts = prefix.MaxEndpoints // hosts of one cluster, each once
	MaxPage  = 64 << 20            // bytes; Envoy writes about 1.2 KB for a host
	maxRows  = 8 * MaxHosts        // hosts as the page lists them: those of a service, and of its subsets once more
)

// Errors of Reader.Close. The endpoints of the last good page stay valid.
var (
	ErrTruncated    = errors.New("the clusters page ended early")
	ErrSyntax       = errors.New("the clusters page is not the JSON that Envoy writes")
	ErrTooLong      = errors.New("the clusters page has more than 64 MiB")
	ErrTooManyHosts = errors.New("the cluster has more than " + strconv.Itoa(MaxHosts) + " hosts")
	ErrNoCluster    = errors.New("the clusters page has no such cluster")
)

// Reader reads one page and keeps the hosts of one cluster. It skips other clusters, and checks them for balanced
// brackets only. maxRows bounds its memory, whatever the page.
//
// The page is short if Envoy is asked for one cluster: /clusters?format=json&filter=RE2. Envoy omits members that are
// zero, and a cluster without hosts has no host_statuses: that is an empty list, not an error. Hosts without an IP
// address and port (pipes, internal listeners without one) are skipped.
type Reader struct {
	json   jsonReader
	size   int
	err    error
	exact  string // the cluster's name
	prefix string // for an Istio service, of its subsets' names: outbound|8000|
	suffix string // and |name.ns.svc.cluster.local

	seen     bool // the cluster was on the page
	named    bool // the name of the current cluster has been read
	matched  bool // and it is the one to read
	hosts    []entry
	names    []byte // addresses, zones and listeners of the hosts, concatenated
	owners   []byte // names of their clusters, concatenated
	mark     int    // len(hosts) before the current cluster
	markTo   int    // len(names) before it
	name     int    // its own name in owners begins here
	host     entry  // the current host
	address  [64]byte
	listener [64]byte
	zone     [128]byte
	region   [128]byte
}

// entry is a host while it is read, or after.
type entry struct {
	from, to   int // its address in names
	addressTo  int // bytes of Reader.address
	listenerTo int // its listener in names ends here, and begins at zoneTo; while it is read, bytes of Reader.listener
	zoneTo     int // its zone in names ends here, and begins at to; while it is read, bytes of Reader.zone
	regionTo   int // bytes of Reader.region
	cluster    int // its cluster's name in owners begins here
	clusterTo  int
	port       int
	weight     int
	priority   int
	unhealthy  bool
	draining   bool
}

// Reset prepares for a page and the cluster of the given name. If the name is Istio's for a service without a subset
// (outbound|8000||name.ns.svc.cluster.local), the clusters of the service's subsets are read too.
func (r *Reader) Reset(cluster string) {
	r.json.reset()
	r.size, r.err = 0, nil
	r.exact = cluster
	r.prefix, r.suffix, _ = SplitService(cluster)
	r.seen, r.named, r.matched = false, false, false
	r.hosts, r.names, r.owners = r.hosts[:0], r.names[:0], r.owners[:0]
}

// SplitService returns what stands before and after the subset's name in the clusters of an Istio service's subsets,
// given the name of the service's own cluster; ok is false for any other name.
func SplitService(cluster string) (prefix, suffix string, ok bool) {
	at := strings.Index(cluster, "||")
	if at < 9 || len(cluster) == at+2 || !strings.HasPrefix(cluster, "outbound|") {
		return "", "", false
	}
	return cluster[:at+1], cluster[at+1:], true
}

// matches says whether name is that of the cluster to read, or of a subset of it.
func (r *Reader) matches(name []byte) bool {
	if bytestr.Equal(name, r.exact) {
		return true
	}
	if r.prefix == "" || len(name) < len(r.prefix)+len(r.suffix) || !bytestr.HasPrefix(name, r.prefix) || !bytestr.HasSuffix(name, r.suffix) {
		return false
	}
	return bytes.IndexByte(name[len(r.prefix):len(name)-len(r.suffix)], '|') < 0
}

// Write reads the next piece of the page. After an error, which Close returns, it does nothing.
func (r *Reader) Write(piece []byte) {
	if r.size += len(piece); r.size > MaxPage && r.err == nil {
		r.err = ErrTooLong
	}
	if r.err == nil && !r.json.read(piece, r) && r.err == nil {
		r.err = ErrSyntax
	}
}

// Close ends the page. It returns the cluster's endpoints sorted by address, each once. Several entries of one address
// (localities, subsets) become one: the worst health, the largest weight, the lowest priority number. If the addresses
// are those of old, old is updated in place and returned, without an allocation; otherwise the list is new. With an
// error it returns old unchanged.
func (r *Reader) Close(old []Host) ([]Host, error) {
	switch {
	case r.err != nil:
		return old, r.err
	case !r.json.done():
		return old, ErrTruncated
	case !r.seen:
		return old, ErrNoCluster
	}
	r.sort()
	n := 0
	for i, h := range r.hosts {
		if i > 0 && r.compare(h, r.hosts[n-1]) == 0 {
			r.merge(&r.hosts[n-1], h)
			continue
		}
		r.hosts[n] = h
		n++
	}
	if r.hosts = r.hosts[:n]; n > MaxHosts {
		return old, ErrTooManyHosts
	}
	list := old
	if !r.sameAddresses(old) {
		list = make([]Host, n)
	}
	from := 0
	for i, h := range r.hosts {
		address := r.at(h)
		for from < len(old) && less(old[from].Address, address) {
			from++
		}
		known, cluster, zone, listener := "", "", "", ""
		if from < len(old) && bytestr.Equal(address, old[from].Address) {
			known, cluster, zone, listener = old[from].Address, old[from].Cluster, old[from].Zone, old[from].Listener
		} else {
			known = string(address)
		}
		if owner := r.owner(h); !bytestr.Equal(owner, cluster) {
			cluster = string(owner)
		}
		if in := r.names[h.to:h.zoneTo]; !bytestr.Equal(in, zone) {
			zone = string(in)
		}
		if through := r.names[h.zoneTo:h.listenerTo]; !bytestr.Equal(through, listener) {
			listener = string(through)
		}
		list[i] = Host{Address: known, Listener: listener, Cluster: cluster, Weight: h.weight, Priority: h.priority,
			Healthy: !h.unhealthy, Draining: h.draining, Zone: zone}
	}
	return list, nil
}

// sort sorts the hosts by address: Shell's sort with Ciura's gaps (2001). The standard library's calls a
// function value for each comparison, which allocates in TinyGo.
func (r *Reader) sort() {
	for _, gap := range [...]int{701, 301, 132, 57, 23, 10, 4, 1} {
		for i := gap; i < len(r.hosts); i++ {
			h := r.hosts[i]
			at := i
			for ; at >= gap && r.compare(h, r.hosts[at-gap]) < 0; at -= gap {
				r.hosts[at] = r.hosts[at-gap]
			}
			r.hosts[at] = h
		}
	}
}

// compare orders by address.
func (r *Reader) compare(a, b entry) int { return bytes.Compare(r.at(a), r.at(b)) }

func (r *Reader) at(h entry) []byte { return r.names[h.from:h.to] }

func (r *Reader) owner(h entry) []byte { return r.owners[h.cluster:h.clusterTo] }

// sameAddresses says whether the hosts are those of the list.
func (r *Reader) sameAddresses(list []Host) bool {
	if len(list) != len(r.hosts) {
		return false
	}
	for i, h := range r.hosts {
		if !bytestr.Equal(r.at(h), list[i].Address) {
			return false
		}
	}
	return true
}

// less is s < string(b) without the copy that TinyGo would make.
func less(s string, b []byte) bool {
	for i := range b {
		if i >= len(s) || s[i] != b[i] {
			return i >= len(s) || s[i] < b[i]
		}
	}
	return false
}

// merge adds another entry of the same address to h.
func (r *Reader) merge(h *entry, other entry) {
	if bytestr.Equal(r.owner(*h), r.exact) { // the service itself: a subset is more precise
		h.cluster, h.clusterTo = other.cluster, other.clusterTo
	}
	h.weight = max(h.weight, other.weight)
	h.priority = min(h.priority, other.priority)
	h.unhealthy = h.unhealthy || other.unhealthy
	h.draining = h.draining || other.draining
}
