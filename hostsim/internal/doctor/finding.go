// Package doctor says whether warmroute is set up right: from a configuration (ours, a WasmPlugin's, an Envoy's) or from a
// running Envoy, by its admin interface, and the replicas behind it. Each finding says what is wrong and which line of
// configuration cures it.
package doctor

import (
	"cmp"
	"slices"
)

// Level is how bad a finding is.
type Level int

// The levels. Broken: requests fail, or are not routed. Weak: they are, with less gain or less protection.
const (
	Broken Level = iota
	Weak
	Fine
)

// String is the level's name.
func (l Level) String() string { return [...]string{"broken", "weak", "ok"}[l] }

// MarshalText makes levels names in JSON.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// Finding is one thing that was seen.
type Finding struct {
	Level Level  `json:"level"`
	Where string `json:"where"` // file, filter, cluster or replica
	What  string `json:"what"`
	Cure  string `json:"cure,omitempty"` // lines of configuration, or what to do
}

// Sort puts the worst first, and keeps the order of equal ones.
func Sort(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int { return cmp.Compare(a.Level, b.Level) })
}

// Worst is the worst level of the findings, Fine of none.
func Worst(all []Finding) Level {
	worst := Fine
	for _, f := range all {
		worst = min(worst, f.Level)
	}
	return worst
}
