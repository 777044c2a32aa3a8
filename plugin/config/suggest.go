package config

// suggest names the field nearest to an unknown one.
func suggest(name string, properties *value) string {
	nearest, least := "", 0
	for _, known := range properties.names {
		if d := distance(name, known); nearest == "" || d < least {
			nearest, least = known, d
		}
	}
	return "did you mean " + nearest + "?"
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
