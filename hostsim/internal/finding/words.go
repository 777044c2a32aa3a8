package finding

import (
	"fmt"
	"strings"
)

// Shown is how many endpoints a finding names.
const Shown = 4

// Plural is a count and what is counted.
func Plural(n float64, what string) string { return fmt.Sprintf("%.0f %s", n, what+Agree(n, "", "s")) }

// Agree is the form of a word for that count.
func Agree(n float64, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Some names the first of the addresses.
func Some(addresses []string) string {
	text := strings.Join(addresses[:min(len(addresses), Shown)], ", ")
	if more := len(addresses) - Shown; more > 0 {
		text += fmt.Sprintf(", %d more", more)
	}
	return text
}

// OrNone is a value, or that there is none.
func OrNone(s string) string {
	if s == "" {
		return "not set"
	}
	return s
}

// Quoted is names in quotes.
func Quoted(names []string) string {
	var all []string
	for _, name := range names {
		all = append(all, fmt.Sprintf("%q", name))
	}
	return strings.Join(all, ", ")
}
