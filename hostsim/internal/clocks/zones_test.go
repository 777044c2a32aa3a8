package clocks

import "testing"

// A zone's abbreviation counts, wherever the log is read: rows of a summer and a winter, or of two machines, stand in one file.
func TestZones(t *testing.T) {
	const nine = 1772355600 // 2026-03-01 09:00 UTC
	for text, want := range map[string]float64{
		"2026-03-01 09:00:00 UTC": nine, "2026-03-01 09:00:00 GMT": nine, "2026-03-01 10:00:00 CET": nine, "2026-03-01 11:00:00.5 CEST": nine + .5, "2026-03-01 01:00:00 PST": nine,
		"2026-03-01 14:30:00 IST": nine, "Sun, 01 Mar 2026 04:00:00 EST": nine, "Sun Mar  1 18:00:00 JST 2026": nine, "2026-03-01 10:00:00 +0100 CET": nine,
		"2026-03-01 09:00:00 XYZ": nine, // nobody knows it: as UTC
	} {
		if got, ok := Seconds(text); !ok || got != want {
			t.Errorf("%s: %f, %v; want %f", text, got, ok, want)
		}
	}
}
