package clusters

import (
	"bytes"
	"strconv"

	"warmroute/plugin/bytestr"
)

// role is the meaning of a value of the page, by envoy.admin.v3.Clusters, ClusterStatus, HostStatus and
// HostHealthStatus.
type role uint8

const (
	roleNone role = iota
	rolePage
	roleCluster
	roleHost
	roleAddress
	roleSocket
	roleInternal
	roleLocality
	roleHealth // the last object
	roleClusters
	roleHosts // the last array
	roleName
	roleIP
	rolePort
	roleListener
	roleID
	roleWeight
	rolePriority
	roleZone
	roleRegion
	roleUnhealthy
	roleDraining
	roleEDS
)

func (p role) isContainer(array bool) bool {
	if array {
		return p > roleHealth && p <= roleHosts
	}
	return p > roleNone && p <= roleHealth
}

// element is the role of an array's elements.
func (p role) element() role {
	if p == roleClusters {
		return roleCluster
	}
	return roleHost
}

// members are the keys whose values are read.
var members = [...]struct {
	of   role
	key  string
	role role
}{
	{rolePage, "cluster_statuses", roleClusters},
	{roleCluster, "name", roleName},
	{roleCluster, "host_statuses", roleHosts},
	{roleHost, "address", roleAddress},
	{roleHost, "health_status", roleHealth},
	{roleHost, "weight", roleWeight},
	{roleHost, "priority", rolePriority},
	{roleHost, "locality", roleLocality},
	{roleLocality, "zone", roleZone},
	{roleLocality, "region", roleRegion},
	{roleAddress, "socket_address", roleSocket},
	{roleAddress, "envoy_internal_address", roleInternal},
	{roleInternal, "server_listener_name", roleListener},
	{roleInternal, "endpoint_id", roleID},
	{roleSocket, "address", roleIP},
	{roleSocket, "port_value", rolePort},
	{roleHealth, "failed_active_health_check", roleUnhealthy},
	{roleHealth, "failed_outlier_check", roleUnhealthy},
	{roleHealth, "pending_active_hc", roleUnhealthy}, // a new host before its first check
	{roleHealth, "excluded_via_immediate_hc_fail", roleUnhealthy},
	{roleHealth, "active_hc_timeout", roleUnhealthy},
	{roleHealth, "pending_dynamic_removal", roleDraining}, // EDS has dropped it, a health check still holds it
	{roleHealth, "failed_active_degraded_check", roleEDS},
	{roleHealth, "eds_health_status", roleEDS},
}

// member is the role of a member of an object: none for the hosts of a cluster that is known to be another.
func (r *Reader) member(of role, key []byte) role {
	for i := range members {
		if m := &members[i]; m.of == of && bytestr.Equal(key, m.key) {
			if m.role == roleHosts && r.named && !r.matched {
				return roleNone
			}
			return m.role
		}
	}
	return roleNone
}

func (r *Reader) begin(of role) {
	switch of {
	case roleCluster:
		r.named, r.matched = false, false
		r.mark, r.markTo = len(r.hosts), len(r.names)
	case roleHost:
		r.host = entry{}
	}
}

func (r *Reader) end(of role) {
	switch of {
	case roleHost:
		r.addHost()
	case roleCluster:
		if r.matched {
			r.seen = true
			for i := r.mark; i < len(r.hosts); i++ {
				r.hosts[i].cluster, r.hosts[i].clusterTo = r.name, len(r.owners)
			}
		} else {
			r.hosts, r.names = r.hosts[:r.mark], r.names[:r.markTo]
		}
	}
}

// maxWeight bounds weights, so that they fit an int of the module, which has 32 bits.
const maxWeight = 1 << 30

// scalar takes a string or literal. A string that is longer than any with a meaning is empty here.
func (r *Reader) scalar(of role, text []byte) {
	h := &r.host
	switch of {
	case roleName:
		r.named, r.matched = true, len(text) > 0 && r.matches(text)
		if r.name = len(r.owners); r.matched {
			r.owners = append(r.owners, text...)
		}
	case roleIP:
		h.addressTo = 0
		if len(text) <= len(r.address) {
			h.addressTo = copy(r.address[:], text)
		}
	case roleListener:
		h.listenerTo = 0
		if len(text) <= len(r.listener) {
			h.listenerTo = copy(r.listener[:], text)
		}
	case roleID:
		if len(text) <= len(r.address) && isAddress(text) {
			h.addressTo = copy(r.address[:], text)
		}
	case rolePort:
		if h.port = natural(text); h.port > 65535 {
			h.port = 0
		}
	case roleWeight:
		h.weight = natural(text)
	case rolePriority:
		h.priority = h.priority&Degraded | natural(text)
	case roleZone:
		if len(text) <= len(r.zone) {
			h.zoneTo = copy(r.zone[:], text)
		}
	case roleRegion:
		if len(text) <= len(r.region) {
			h.regionTo = copy(r.region[:], text)
		}
	case roleUnhealthy:
		h.unhealthy = h.unhealthy || bytestr.Equal(text, "true")
	case roleDraining:
		h.draining = h.draining || bytestr.Equal(text, "true")
	case roleEDS: // UNKNOWN and HEALTHY change nothing
		h.unhealthy = h.unhealthy || bytestr.Equal(text, "UNHEALTHY") || bytestr.Equal(text, "TIMEOUT")
		h.draining = h.draining || bytestr.Equal(text, "DRAINING")
		if bytestr.Equal(text, "DEGRADED") || bytestr.Equal(text, "true") { // by its answers to health checks
			h.priority |= Degraded
		}
	}
}

// natural reads decimal digits, as at most maxWeight; 0 for anything else.
func natural(text []byte) int {
	n := 0
	for _, c := range text {
		if !bytestr.IsDigit(c) {
			return 0
		}
		n = min(n, maxWeight/10)*10 + int(c-'0')
	}
	return min(n, maxWeight)
}

// appendAddress appends ip:port, or [ipv6]:port.
func appendAddress(dst, ip []byte, port int) []byte {
	if bytes.IndexByte(ip, ':') >= 0 {
		dst = append(append(append(dst, '['), ip...), ']')
	} else {
		dst = append(dst, ip...)
	}
	return strconv.AppendInt(append(dst, ':'), int64(port), 10)
}

// addHost keeps the current host.
func (r *Reader) addHost() {
	h := r.host
	if h.addressTo == 0 || h.port == 0 && h.listenerTo == 0 {
		return
	}
	if len(r.hosts) >= maxRows {
		r.err = ErrTooManyHosts
		return
	}
	ip := r.address[:h.addressTo]
	h.from = len(r.names)
	if h.listenerTo > 0 { // behind a listener the address is one already
		r.names = append(r.names, ip...)
	} else {
		r.names = appendAddress(r.names, ip, h.port)
	}
	h.to = len(r.names)
	if r.names = append(r.names, r.zone[:h.zoneTo]...); h.zoneTo == 0 {
		r.names = append(r.names, r.region[:h.regionTo]...)
	}
	h.zoneTo = len(r.names)
	r.names = append(r.names, r.listener[:h.listenerTo]...)
	h.listenerTo = len(r.names)
	h.weight = max(h.weight, 1)
	r.hosts = append(r.hosts, h)
}
