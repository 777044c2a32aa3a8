// Package finding is what a check finds of a setup: how bad it is, where, what, and what cures it. Its words are shared by all
// that check.
package finding

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

// At is a finding of that level. cure is "" where there is nothing to cure.
func (l Level) At(where, what, cure string) Finding { return Finding{l, where, what, cure} }

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

// Distinct drops findings that are there twice: a dump has a listener in the bootstrap and among the listeners.
func Distinct(all []Finding) (out []Finding) {
	for _, f := range all {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}
