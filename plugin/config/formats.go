package config

import (
	"math"
	"strings"

	"warmroute/plugin/prompt"
)

// checkFormat checks a text against the schema's "format". The formats are our
// own, so that other validators take them for annotations. An empty text passes
// where it means "none" or "the default"; minLength refuses it elsewhere.
// It returns what is wrong, to be read after the offending text, or "".
func checkFormat(schema *value, s string) string {
	switch schema.get("format").string() {
	case "ip-port":
		_, fault := parseAddress(s)
		return fault
	case "header-name":
		return checkHeader(s)
	case "own-header-name":
		return checkOwnHeader(s)
	case "cluster-name":
		return checkCluster(s)
	case "cluster-pattern":
		return checkClusterPattern(s)
	case "model-pattern":
		return checkModelPattern(s)
	case "pool-name":
		return checkPoolName(s)
	case "time-span":
		return checkSpan(schema, s)
	case "path-pattern":
		return prompt.CheckPattern(s)
	case "request-path":
		return checkPath(s)
	case "environment-variable":
		return checkVariable(s)
	case "json-pointer":
		_, fault := prompt.ParsePointer(s)
		return fault
	}
	return ""
}

// checkHeader takes the token of RFC 9110 section 5.6.2, in lower case as HTTP/2
// has it (RFC 9113 section 8.2). Pseudo-headers are refused.
func checkHeader(s string) string {
	if strings.HasPrefix(s, ":") {
		return "is a pseudo-header; the name of an ordinary one is needed"
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', isDigit(c), strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0:
		case c >= 'A' && c <= 'Z':
			return "is not a lower-case header name"
		default:
			return "is not a header name (letters a–z, digits and !#$%&'*+-.^_`|~)"
		}
	}
	return ""
}

// checkVariable takes the name of an environment variable (POSIX.1-2017, section 8.1).
func checkVariable(s string) string {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c == '_', isDigit(c) && i > 0:
		default:
			return "is not the name of an environment variable (letters, digits and _)"
		}
	}
	return ""
}

// checkCluster takes what may stand in a header's value without spaces.
func checkCluster(s string) string {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' {
			return "is not a cluster name (printable ASCII without spaces)"
		}
	}
	return ""
}

// checkPath takes an absolute path, with a query or without; none is no fault.
func checkPath(s string) string {
	if s != "" && s[0] != '/' {
		return "is not a path (it must start with '/')"
	}
	for i := range len(s) {
		if s[i] <= ' ' || s[i] > '~' || s[i] == '#' {
			return "is not a path (printable ASCII without spaces and '#')"
		}
	}
	return ""
}

func checkSpan(schema *value, s string) string {
	shortest, longest := schema.get("x-minimum").string(), schema.get("x-maximum").string()
	least, _ := parseSpan(shortest)
	most, _ := parseSpan(longest)
	switch span, ok := parseSpan(s); {
	case !ok:
		return "is not a time span such as 250ms, 1s, 1.5s or 1m" + allowed(schema)
	case span < least:
		return "is below the minimum " + shortest + allowed(schema)
	case span > most:
		return "is above the maximum " + longest + allowed(schema)
	}
	return ""
}

// parseSpan reads a decimal number with a unit, in nanoseconds. What is too large
// for an int64 is math.MaxInt64; digits below a nanosecond are dropped.
func parseSpan(s string) (nanoseconds int64, ok bool) {
	whole, i := int64(0), 0
	for ; i < len(s) && isDigit(s[i]); i++ {
		whole = min(whole*10+int64(s[i]-'0'), math.MaxInt64/100)
	}
	digits := i
	fraction, scale := int64(0), int64(1) // the fraction is fraction ÷ scale
	if i < len(s) && s[i] == '.' {
		for i++; i < len(s) && isDigit(s[i]); i++ {
			digits++
			if scale < 1e8 { // below 1e8 × a minute there is room in an int64
				fraction, scale = fraction*10+int64(s[i]-'0'), scale*10
			}
		}
	}
	unit := int64(0)
	switch s[i:] {
	case "us":
		unit = 1e3
	case "ms":
		unit = 1e6
	case "s":
		unit = 1e9
	case "m":
		unit = 60e9
	}
	if digits == 0 || unit == 0 {
		return 0, false
	}
	if whole >= math.MaxInt64/unit {
		return math.MaxInt64, true
	}
	return whole*unit + fraction*unit/scale, true
}
