package peers

import (
	"math/rand/v2"
	"slices"
)

// least is a replica with the fewest, drawn among equals.
func least[T int | float64](values []T, rng *rand.Rand) int {
	return leastOf(values, rng, func(int) bool { return true })
}

// leastOf is that of those that may be; −1: none may.
func leastOf[T int | float64](values []T, rng *rand.Rand, may func(i int) bool) int {
	best, equals := -1, 0
	for i, v := range values {
		switch {
		case !may(i):
		case best < 0 || v < values[best]:
			best, equals = i, 1
		case v == values[best]:
			if equals++; rng.IntN(equals) == 0 {
				best = i
			}
		}
	}
	return best
}

// reasonOf says why a replica was chosen that matches so much, where the best matches most.
func reasonOf(matched, most int) string {
	switch {
	case most == 0:
		return "by_load"
	case matched == most:
		return "match"
	}
	return "relieved"
}

// spread is how far the most is above the fewest.
func spread(values []int) int { return slices.Max(values) - slices.Min(values) }
