package config

import "strings"

// suggest names what an unknown field may have been meant for: one of that name elsewhere, or else the nearest here.
func (f *faults) suggest(name string, here *value) string {
	all := f.root.get("properties")
	if all.get(name) != nil {
		return " here; it belongs to the top level"
	}
	near := nearest(name, here.names)
	if near != "" && distance(name, near) < 2 {
		return didYouMean(near)
	}
	elsewhere := ""
	for i, section := range all.names {
		if all.items[i].get("properties").get(name) == nil {
			continue
		}
		if elsewhere != "" {
			elsewhere += " or "
		}
		elsewhere += section + "." + name
	}
	if elsewhere != "" {
		near = elsewhere
	}
	return didYouMean(near)
}

func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}

// nearest is the known name that takes the fewest edits, at most half of its letters, or else the first that name is a part
// of; "" if there is none.
func nearest(name string, known []string) string {
	near, least := "", 0
	name = strings.ToLower(name)
	for _, k := range known {
		if d := distance(name, k); 2*d <= len(k) && (near == "" || d < least) {
			near, least = k, d
		}
	}
	for _, k := range known {
		if near == "" && len(name) > 3 && strings.Contains(k, name) {
			near = k
		}
	}
	return near
}

// distance is the number of bytes to insert, delete or replace to turn a into b
// (Levenshtein 1966). Only the first 64 bytes of a count: no field is longer.
func distance(a, b string) int {
	a = a[:min(len(a), 64)]
	row := make([]int, len(b)+1) // distances of a[:i] to every b[:j]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := corner
			if a[i] != b[j] {
				change++
			}
			corner = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
