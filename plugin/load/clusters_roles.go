package load

import (
	"bytes"
	"strconv"
)

// role is what a value of the page means: envoy.admin.v3.Clusters, ClusterStatus, HostStatus and HostHealthStatus.
type role uint8

const (
	roleNone role = iota
	rolePage
	roleCluster
	roleHost
	roleAddress
	roleSocket
	roleHealth
	roleStat // the last object
	roleClusters
	roleHosts
	roleStats // the last array
	roleName
	roleIP
	rolePort
	roleWeight
	rolePriority
	roleSick
	roleDraining
	roleEDS
	roleStatName
	roleStatValue
)

func (p role) isContainer(array bool) bool {
	if array {
		return p > roleStat && p <= roleStats
	}
	return p > roleNone && p <= roleStat
}

// element is the role of an array's elements.
func (p role) element() role {
	switch p {
	case roleClusters:
		return roleCluster
	case roleHosts:
		return roleHost
	}
	return roleStat
}

// members are the keys that have a role.
var members = [...]struct {
	of   role
	key  string
	role role
}{
	{rolePage, "cluster_statuses", roleClusters},
	{roleCluster, "name", roleName},
	{roleCluster, "host_statuses", roleHosts},
	{roleHost, "address", roleAddress},
	{roleHost, "stats", roleStats},
	{roleHost, "health_status", roleHealth},
	{roleHost, "weight", roleWeight},
	{roleHost, "priority", rolePriority},
	{roleAddress, "socket_address", roleSocket},
	{roleSocket, "address", roleIP},
	{roleSocket, "port_value", rolePort},
	{roleHealth, "failed_active_health_check", roleSick},
	{roleHealth, "failed_outlier_check", roleSick},
	{roleHealth, "pending_active_hc", roleSick}, // a new host before its first check
	{roleHealth, "excluded_via_immediate_hc_fail", roleSick},
	{roleHealth, "active_hc_timeout", roleSick},
	{roleHealth, "pending_dynamic_removal", roleDraining}, // EDS has dropped it, a health check still holds it
	{roleHealth, "eds_health_status", roleEDS},
	{roleStat, "name", roleStatName},
	{roleStat, "value", roleStatValue},
}

// member is the role of a member of an object. Hosts of a cluster that has told another name have none.
func (r *ClusterReader) member(of role, key []byte) role {
	for i := range members {
		if m := &members[i]; m.of == of && same(key, m.key) {
			if m.role == roleHosts && r.named && !r.ours {
				return roleNone
			}
			return m.role
		}
	}
	return roleNone
}

func (r *ClusterReader) begin(of role) {
	switch of {
	case roleCluster:
		r.named, r.ours = false, false
		r.mark, r.markTo = len(r.hosts), len(r.names)
	case roleHost:
		r.host = host{}
	case roleStat:
		r.stat = stat{}
	}
}

func (r *ClusterReader) end(of role) {
	switch of {
	case roleStat:
		if r.stat.active {
			r.host.active = min(r.stat.value, maxActive)
		}
	case roleHost:
		r.addHost()
	case roleCluster:
		if r.ours {
			r.seen = true
			for i := r.mark; i < len(r.hosts); i++ {
				r.hosts[i].cluster, r.hosts[i].clusterTo = r.name, len(r.owners)
			}
		} else {
			r.hosts, r.names = r.hosts[:r.mark], r.names[:r.markTo]
		}
	}
}

// Sums of these bounds stay below 2³¹.
const (
	maxActive = 1 << 20
	maxWeight = 1 << 30
)

// scalar takes a string or literal. A string longer than any that has a meaning is empty here.
func (r *ClusterReader) scalar(of role, text []byte) {
	h := &r.host
	switch of {
	case roleName:
		r.named, r.ours = true, len(text) > 0 && r.matches(text)
		if r.name = len(r.owners); r.ours {
			r.owners = append(r.owners, text...)
		}
	case roleIP:
		h.addressTo = 0
		if len(text) <= len(r.address) {
			h.addressTo = copy(r.address[:], text)
		}
	case rolePort:
		if h.port = whole(text); h.port > 65535 {
			h.port = 0
		}
	case roleWeight:
		h.weight = whole(text)
	case rolePriority:
		h.priority = whole(text)
	case roleSick:
		h.sick = h.sick || same(text, "true")
	case roleDraining:
		h.draining = h.draining || same(text, "true")
	case roleEDS: // UNKNOWN, HEALTHY and DEGRADED speak against nothing
		h.sick = h.sick || same(text, "UNHEALTHY") || same(text, "TIMEOUT")
		h.draining = h.draining || same(text, "DRAINING")
	case roleStatName:
		r.stat.active = same(text, "rq_active")
	case roleStatValue:
		r.stat.value = whole(text)
	}
}

// whole reads digits, at most maxWeight; 0 for everything else. (Protobuf's JSON writes 64-bit numbers as strings.)
func whole(text []byte) int {
	n := 0
	for _, c := range text {
		if !isDigit(c) {
			return 0
		}
		n = min(n, maxWeight/10)*10 + int(c-'0')
	}
	return min(n, maxWeight)
}

// addHost keeps the host at hand.
func (r *ClusterReader) addHost() {
	h := r.host
	if h.addressTo == 0 || h.port == 0 {
		return
	}
	if len(r.hosts) >= MaxDiscovered {
		r.err = ErrManyHosts
		return
	}
	ip := r.address[:h.addressTo]
	h.from = len(r.names)
	if bytes.IndexByte(ip, ':') >= 0 {
		r.names = append(append(append(r.names, '['), ip...), ']')
	} else {
		r.names = append(r.names, ip...)
	}
	r.names = strconv.AppendInt(append(r.names, ':'), int64(h.port), 10)
	h.to = len(r.names)
	h.weight = max(h.weight, 1)
	r.hosts = append(r.hosts, h)
}
