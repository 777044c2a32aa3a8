package config

import (
	"strconv"
	"strings"
)

const notAddress = "is not ip:port "

// parseAddress reads ip:port or [ipv6]:port and returns it as Envoy prints it,
// because override_host compares texts: IPv6 in the form of RFC 5952, the port
// without leading zeros. Otherwise it returns what is wrong, to be read after the
// offending text. (net/netip would do, for 42 KB of module.)
func parseAddress(s string) (canonical, fault string) {
	host, port := s, ""
	colon := strings.LastIndexByte(s, ':')
	bracket := strings.LastIndexByte(s, ']')
	single := strings.IndexByte(s, ':') == colon // no bare IPv6
	if colon > bracket && (bracket >= 0 || single) {
		host, port = s[:colon], s[colon+1:]
	}
	six := strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]")
	switch {
	case s == "":
		return "", notAddress + "(it is empty)"
	case strings.Contains(s, "://"):
		return "", notAddress + "(an address has no scheme)"
	case six:
		host = host[1 : len(host)-1]
		if strings.IndexByte(host, '%') >= 0 {
			return "", notAddress + "(an IPv6 zone is not supported)"
		}
		words, ok := parseIPv6(host)
		if !ok {
			return "", notAddress + "(no IPv6 address in the brackets)"
		}
		host = "[" + formatIPv6(words) + "]"
	case !single:
		return "", notAddress + "(IPv6 is written [address]:port)"
	default:
		if _, ok := parseIPv4(host); !ok {
			if looksNumeric(host) {
				return "", notAddress + "(an IPv4 address has four numbers 0–255)"
			}
			return "", notAddress + "(Envoy's override_host matches addresses, not names)"
		}
	}
	if port == "" {
		return "", notAddress + "(a port 1–65535 is missing)"
	}
	number := 0
	for i := range len(port) {
		if !isDigit(port[i]) || len(port) > 5 {
			return "", notAddress + "(the port must be 1–65535)"
		}
		number = number*10 + int(port[i]-'0')
	}
	if number < 1 || number > 65535 {
		return "", notAddress + "(the port must be 1–65535)"
	}
	return host + ":" + strconv.Itoa(number), ""
}

// looksNumeric distinguishes a mistyped IPv4 address from a name.
func looksNumeric(host string) bool {
	for i := range len(host) {
		if !isDigit(host[i]) && host[i] != '.' {
			return false
		}
	}
	return true
}

// parseIPv4 reads four decimal numbers. Leading zeros are refused, because some
// resolvers read such numbers as octal.
func parseIPv4(s string) (ip [4]byte, ok bool) {
	for i := range ip {
		part, rest, more := strings.Cut(s, ".")
		if more != (i < 3) || part == "" || len(part) > 3 || len(part) > 1 && part[0] == '0' {
			return ip, false
		}
		number := 0
		for j := range len(part) {
			if !isDigit(part[j]) {
				return ip, false
			}
			number = number*10 + int(part[j]-'0')
		}
		if number > 255 {
			return ip, false
		}
		ip[i], s = byte(number), rest
	}
	return ip, true
}

// parseIPv6 reads the text forms of RFC 4291 section 2.2, without a zone.
func parseIPv6(s string) (words [8]uint16, ok bool) {
	head, tail, gap := strings.Cut(s, "::")
	if !gap {
		n, ok := parseWords(head, words[:])
		return words, ok && n == 8
	}
	var end [8]uint16
	n, ok := parseWords(head, words[:])
	if !ok || strings.IndexByte(head, '.') >= 0 {
		return words, false
	}
	m, ok := parseWords(tail, end[:])
	if !ok || n+m > 7 { // "::" stands for at least one word
		return words, false
	}
	copy(words[8-m:], end[:m])
	return words, true
}

// parseWords reads hexadecimal words between colons, of which the last two may be
// written as an IPv4 address, and returns how many they are.
func parseWords(s string, words []uint16) (n int, ok bool) {
	for more := s != ""; more; {
		var part string
		part, s, more = strings.Cut(s, ":")
		if ip, ok := parseIPv4(part); ok && !more && n+2 <= len(words) {
			words[n], words[n+1] = uint16(ip[0])<<8|uint16(ip[1]), uint16(ip[2])<<8|uint16(ip[3])
			return n + 2, true
		}
		if n == len(words) || part == "" || len(part) > 4 {
			return n, false
		}
		word, err := strconv.ParseUint(part, 16, 16)
		if err != nil || part[0] == '+' {
			return n, false
		}
		words[n] = uint16(word)
		n++
	}
	return n, true
}

// formatIPv6 writes an address as RFC 5952 section 4 wants it: lower case, no
// leading zeros, the first longest run of two or more zero words as "::". An
// address that maps IPv4 (::ffff:0:0/96) ends in dotted numbers (section 5).
func formatIPv6(words [8]uint16) string {
	from, to := -1, -1
	for i := 0; i < 8; i++ {
		j := i
		for j < 8 && words[j] == 0 {
			j++
		}
		if j-i >= 2 && j-i > to-from {
			from, to = i, j
		}
		i = max(i, j-1)
	}
	var s []byte
	for i := 0; i < 8; i++ {
		if i == from {
			s = append(s, "::"...)
			if i = to; i == 8 {
				break
			}
		} else if i > 0 {
			s = append(s, ':')
		}
		if i == 6 && from == 0 && to == 5 && words[5] == 0xffff {
			for k, b := range []uint16{words[6] >> 8, words[6] & 255, words[7] >> 8, words[7] & 255} {
				if k > 0 {
					s = append(s, '.')
				}
				s = strconv.AppendUint(s, uint64(b), 10)
			}
			break
		}
		s = strconv.AppendUint(s, uint64(words[i]), 16)
	}
	return string(s)
}
