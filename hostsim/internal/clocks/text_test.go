package clocks

import "testing"

func TestSeconds(t *testing.T) {
	const want = 1772355600.0 // 2026-03-01T09:00:00Z
	for _, s := range []string{
		"1772355600", "1772355600.000", "1772355600000", "1772355600000000", "1772355600000000000", "2026-03-01T09:00:00Z", "2026-03-01T10:00:00+01:00",
		"2026-03-01 09:00:00", "2026-03-01 09:00:00,000", "2026-03-01 09:00:00.000000+00:00", "01/Mar/2026:09:00:00 +0000", "[01/Mar/2026:09:00:00 +0000]",
		"2026/03/01 09:00:00", "Sun, 01 Mar 2026 09:00:00 UTC", "2026-03-01T09:00:00.000+0000",
	} {
		if got, ok := Seconds(s); !ok || got != want {
			t.Errorf("%s is %v, %v; want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "soon", "-1", "NaN", "1e30", "2026-13-01T09:00:00Z"} {
		if got, ok := Seconds(s); ok {
			t.Errorf("%q is taken for %v", s, got)
		}
	}
}

func TestPrefixTime(t *testing.T) {
	const want = 1772355600.0
	for _, s := range []string{"2026-03-01T09:00:00Z stdout F ", "2026-03-01 09:00:00,000 INFO gw: ", "<134>1 2026-03-01T09:00:00Z host gateway 7 - - ", "1772355600 x "} {
		if got, ok := Prefix(s); !ok || got != want {
			t.Errorf("%q: %v, %v; want %v", s, got, ok, want)
		}
	}
	for _, s := range []string{"", "7 ", "INFO 2026-03-01T09:00:00Z "} {
		if got, ok := Prefix(s); ok {
			t.Errorf("%q is taken for %v", s, got)
		}
	}
}

func TestDated(t *testing.T) {
	if got := Dated("x (INFO) 2026-03-01 09:00:00,120 y 2027-03-01 09:00:00"); got != "2026-03-01 09:00:00,120" {
		t.Error(got)
	}
}
