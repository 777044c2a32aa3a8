package loose

import (
	"math"
	"strconv"

	"warmroute/hostsim/internal/rawjson"
)

// Text returns a string or a number as text; "": v is neither, or null.
func (v *Value) Text() string {
	if s, ok := v.Quoted(); ok {
		return s
	}
	if v != nil && len(v.raw) > 0 && (v.raw[0] == '-' || v.raw[0] >= '0' && v.raw[0] <= '9') && v.Valid() {
		return string(v.raw)
	}
	return ""
}

// Quoted is the text of a string; false: v is none. null is an empty one.
func (v *Value) Quoted() (string, bool) {
	switch {
	case v.Begins('"') && v.Valid():
		return string(rawjson.Text(v.raw)), true
	case v.Begins('n') && v.Valid():
		return "", true
	}
	return "", false
}

// Whole returns a whole number of at least 0, from a number or a text; 120.0, as tables of floats have it, is one. false: v is none.
func (v *Value) Whole() (int, bool) {
	n, err := strconv.ParseFloat(v.Text(), 64)
	if err != nil || !(n >= 0 && n <= maxWhole && n == math.Trunc(n)) {
		return 0, false
	}
	return int(n), true
}

// maxWhole is up to where a float64 has all whole numbers.
const maxWhole = 1 << 53

// Filled says whether there is something: neither null nor "" nor "-", which tables and logs have for nothing.
func (v *Value) Filled() bool {
	if v == nil {
		return false
	}
	switch string(v.raw) {
	case "", "null", `""`, `"-"`:
		return false
	}
	return true
}

// IsList says whether there is a list that has something.
func (v *Value) IsList() bool { return len(v.Items()) > 0 }

// Words is a string's text, or anything else as JSON.
func (v *Value) Words() string {
	if s, ok := v.Quoted(); ok {
		return s
	}
	return string(v.Compact())
}

// FirstOf is the first value that is filled, or null.
func FirstOf(values ...*Value) *Value {
	for _, v := range values {
		if v.Filled() {
			return v
		}
	}
	return Null
}
