package clusters

import (
	"bytes"

	"warmroute/plugin/bytestr"
)

// Envoy calls a host by its address, ip:port. One that it reaches through an internal listener of its own it calls envoy://LISTENER/ID. Such are
// the pods of Istio's ambient mode, whose tunnels (HBONE) begin at the listener connect_originate: their ID is the address at the other end.
const internal = "envoy://"

// Name is what Envoy calls the host at an address, as override_host matches it.
func Name(listener, address string) string {
	if listener == "" {
		return address
	}
	return string(AppendName(nil, listener, address))
}

// AppendName appends the Name.
func AppendName(dst []byte, listener, address string) []byte {
	if listener != "" {
		dst = append(append(append(dst, internal...), listener...), '/')
	}
	return append(dst, address...)
}

// AddressOf is the address in a host's name: all of it where it has none, as with an internal listener that leads anywhere else.
func AddressOf(name []byte) []byte {
	if bytestr.HasPrefix(name, internal) {
		if address := name[bytes.LastIndexByte(name, '/')+1:]; isAddress(address) {
			return address
		}
	}
	return name
}

// isAddress says whether text looks like ip:port or [ipv6]:port.
func isAddress(text []byte) bool {
	colon := bytes.LastIndexByte(text, ':')
	if colon < 0 {
		return false
	}
	ip, port := text[:colon], text[colon+1:]
	if len(port) > 5 || natural(port) == 0 || natural(port) > 65535 {
		return false
	}
	if n := len(ip); n > 2 && ip[0] == '[' && ip[n-1] == ']' {
		return bytes.IndexByte(ip, ':') > 0
	}
	for _, c := range ip {
		if !bytestr.IsDigit(c) && c != '.' {
			return false
		}
	}
	return len(ip) > 0
}
