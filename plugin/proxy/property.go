package proxy

import (
	"bytes"
	"encoding/binary"
)

// Upstream is the name of the host that the request went to (clusters.Name); empty before one was connected. It is valid until the next call.
func Upstream() []byte { return Property("upstream\x00address") }

// RouteCluster is the cluster that the request's route chose; empty if there is none.
func RouteCluster() string {
	return string(Property("xds\x00cluster_name"))
}

// Route names the request's route and its virtual host, as far as they have names and the proxy tells them.
func Route() string {
	return string(Property("xds\x00virtual_host_name")) + "\x00" + string(Property("xds\x00route_name"))
}

// LocalPort is that of the listener where the request came in; 0 if it is not known.
func LocalPort() int {
	port := Property("destination\x00port") // a 64-bit integer
	if len(port) != 8 {
		return 0
	}
	return int(binary.LittleEndian.Uint64(port))
}

// IsOwnIdentity says whether the client has shown a certificate with the first URI of this listener's own: in a mesh, one of the same
// service account. Whether certificates are verified is the listener's matter.
func IsOwnIdentity() bool {
	own := Property("connection\x00uri_san_local_certificate")
	return len(own) > 0 && bytes.Equal(own, Property("connection\x00uri_san_peer_certificate"))
}

// ResponseDetails says where the response comes from: via_upstream, or why it is the proxy's own; "" if it is not known.
func ResponseDetails() string { return string(Property("response\x00code_details")) }

// ClientAddress is that of the request's client, without the port; empty if it is not known. Of IPv6 it is that of the network, 64 bits, of which a
// client mostly has all addresses.
func ClientAddress() []byte {
	address := Property("source\x00address")
	end, words, before, last := 0, 0, byte(0), byte('[')
	for i, c := range address {
		if c == ':' {
			if last == ':' && end > 1 || words == 4 { // what begins with :: maps IPv4
				break
			}
			if words++; last != '0' || before != ':' { // a zero at the network's end may be written or not
				end = i
			}
		}
		before, last = last, c
	}
	return address[:end]
}

// UpstreamAttempts is how many attempts the proxy made; 0 if it does not say.
func UpstreamAttempts() int {
	n := Property("upstream\x00request_attempt_count")
	if len(n) != 8 {
		return 0
	}
	return int(binary.LittleEndian.Uint64(n))
}

// NodeZone is the zone of the proxy's node, or its region where it has no zone; "" if it has neither.
func NodeZone() string {
	if zone := Property("xds\x00node\x00locality\x00zone"); len(zone) > 0 {
		return string(zone)
	}
	return string(Property("xds\x00node\x00locality\x00region"))
}

// DeclareText makes a filter state of ours a string for the proxy, else it is bytes: then expressions (CEL), with which
// tracing and logs take out its parts, know no function for it. Its name has fewer than 128 bytes. The arguments are Envoy's DeclarePropertyArguments
// (source/extensions/common/wasm/ext/declare_property.proto): name = 1, type = 3, of which 1 is a string.
func DeclareText(name string) {
	arguments := append([]byte{1<<3 | 2, byte(len(name))}, name...)
	callForeign("declare_property", append(arguments, 3<<3, 1))
}
