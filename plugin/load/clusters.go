package load

import (
	"bytes"
	"errors"
	"strings"
)

// Discovered is one endpoint of a cluster, as Envoy sees it.
type Discovered struct {
	Address  string // ip:port, [ipv6]:port; as override_host matches it
	Cluster  string // that it is in: of a service and its subsets, a subset's
	Weight   int    // 1…
	Priority int    // 0 is the highest
	Active   int    // requests that all of Envoy's workers have in flight there
	Healthy  bool   // no health check, outlier detection or EDS speaks against it
	Draining bool   // to be given no new work, though it may be healthy
}

// What a page may hold at most.
const (
	MaxDiscovered   = 1024     // endpoints of one cluster
	MaxClustersPage = 64 << 20 // bytes; a host takes 1.2 KB of them
)

// Errors of ClusterReader.Close. After each of them the endpoints known before go on being right.
var (
	ErrCutPage    = errors.New("the clusters page ended early")
	ErrBrokenPage = errors.New("the clusters page is not the JSON that Envoy writes")
	ErrLongPage   = errors.New("the clusters page has more than 64 MiB")
	ErrManyHosts  = errors.New("the cluster has more than 1024 hosts")
	ErrNoCluster  = errors.New("the clusters page has no such cluster")
)

// ClusterReader reads one page of Envoy's admin, /clusters?format=json (the protobuf message
// envoy.admin.v3.Clusters), as it comes, in pieces of any size, and keeps the hosts of one cluster. Other clusters are
// stepped over and checked for balanced brackets only. Memory is bounded by MaxDiscovered, whatever the page.
//
// The page is short where Envoy is asked for the one cluster: /clusters?format=json&filter=RE2. Envoy leaves out what is
// zero, and a cluster without hosts has no host_statuses: that is an empty list, not an error.
// Hosts without an IP address and port (pipes) are left out.
type ClusterReader struct {
	json  jsonReader
	size  int
	err   error
	exact string // the cluster's name
	head  string // in its place, for Istio: outbound|8000| and
	tail  string // |name.ns.svc.cluster.local, any subset between

	seen    bool // the cluster was on the page
	named   bool // the cluster at hand has told its name
	ours    bool // and it is the one
	mark    int  // hosts before it
	markTo  int  // bytes of addresses before it
	name    int  // bytes of cluster names before its own
	host    host
	stat    stat
	hosts   []host
	names   []byte // the hosts' addresses, one after the other
	owners  []byte // the names of their clusters, likewise
	address [64]byte
}

// host is one host while it is read, or has been.
type host struct {
	from, to  int // its address in names
	addressTo int // bytes of address
	cluster   int // its name in owners begins here
	clusterTo int
	port      int
	weight    int
	priority  int
	active    int
	sick      bool
	draining  bool
}

type stat struct {
	active bool // its name is rq_active
	value  int
}

// Reset prepares for a page and the cluster named: exactly so, or, where that is Istio's name of a service without a
// subset (outbound|8000||name.ns.svc.cluster.local), that cluster and those of its subsets.
func (r *ClusterReader) Reset(cluster string) {
	r.json.reset()
	r.size, r.err = 0, nil
	r.exact = cluster
	r.head, r.tail, _ = Subsets(cluster)
	r.seen, r.named, r.ours = false, false, false
	r.hosts, r.names, r.owners = r.hosts[:0], r.names[:0], r.owners[:0]
}

// Subsets says of the name that Istio gives to a service's cluster what goes before and behind the name of a subset in
// the clusters of its subsets; false where it is no such name.
func Subsets(cluster string) (before, behind string, ok bool) {
	at := strings.Index(cluster, "||")
	if at < 9 || len(cluster) == at+2 || !strings.HasPrefix(cluster, "outbound|") {
		return "", "", false
	}
	return cluster[:at+1], cluster[at+1:], true
}

// matches says whether name is the cluster's.
func (r *ClusterReader) matches(name []byte) bool {
	if same(name, r.exact) {
		return true
	}
	if r.head == "" || len(name) < len(r.head)+len(r.tail) || !hasPrefix(name, r.head) || !hasSuffix(name, r.tail) {
		return false
	}
	return bytes.IndexByte(name[len(r.head):len(name)-len(r.tail)], '|') < 0
}

// Write reads the next piece of the page. After a fault it does nothing; Close tells.
func (r *ClusterReader) Write(piece []byte) {
	if r.size += len(piece); r.size > MaxClustersPage && r.err == nil {
		r.err = ErrLongPage
	}
	if r.err == nil && !r.json.read(piece, r) && r.err == nil {
		r.err = ErrBrokenPage
	}
}

// Close ends the page. It returns the cluster's endpoints sorted by address, each once: of several entries with one
// address (localities, subsets) the worst health, the largest weight, the lowest priority number and all requests
// count. Where the addresses are those of old, old is updated in place and returned, without an allocation; otherwise
// the list is new. With an error it returns old as it was.
func (r *ClusterReader) Close(old []Discovered) ([]Discovered, error) {
	switch {
	case r.err != nil:
		return old, r.err
	case !r.json.done():
		return old, ErrCutPage
	case !r.seen:
		return old, ErrNoCluster
	}
	r.sort()
	n := 0
	for i, h := range r.hosts {
		if i > 0 && r.compare(h, r.hosts[n-1]) == 0 {
			r.join(&r.hosts[n-1], h)
			continue
		}
		r.hosts[n] = h
		n++
	}
	r.hosts = r.hosts[:n]
	list := old
	if !r.isList(old) {
		list = make([]Discovered, n)
	}
	from := 0
	for i, h := range r.hosts {
		address := r.at(h)
		for from < len(old) && less(old[from].Address, address) {
			from++
		}
		text, cluster := "", ""
		if from < len(old) && same(address, old[from].Address) {
			text, cluster = old[from].Address, old[from].Cluster
		} else {
			text = string(address)
		}
		if owner := r.owner(h); !same(owner, cluster) {
			cluster = string(owner)
		}
		list[i] = Discovered{Address: text, Cluster: cluster, Weight: h.weight, Priority: h.priority, Active: h.active,
			Healthy: !h.sick, Draining: h.draining}
	}
	return list, nil
}

// sort sorts the hosts by address: Shell's sort with Ciura's gaps (2001). The library's calls a function value for each
// comparison, which in TinyGo allocates.
func (r *ClusterReader) sort() {
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

// compare orders by address. (bytes.Equal would copy both, in TinyGo.)
func (r *ClusterReader) compare(a, b host) int { return bytes.Compare(r.at(a), r.at(b)) }

func (r *ClusterReader) at(h host) []byte { return r.names[h.from:h.to] }

func (r *ClusterReader) owner(h host) []byte { return r.owners[h.cluster:h.clusterTo] }

// isList says whether the hosts are those of the list.
func (r *ClusterReader) isList(list []Discovered) bool {
	if len(list) != len(r.hosts) {
		return false
	}
	for i, h := range r.hosts {
		if !same(r.at(h), list[i].Address) {
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

// join adds another entry of the same address to h.
func (r *ClusterReader) join(h *host, other host) {
	if same(r.owner(*h), r.exact) { // the service: a subset says more
		h.cluster, h.clusterTo = other.cluster, other.clusterTo
	}
	h.weight = max(h.weight, other.weight)
	h.priority = min(h.priority, other.priority)
	h.active += other.active
	h.sick = h.sick || other.sick
	h.draining = h.draining || other.draining
}
