//go:build !linux

package cost

// pin does nothing; threads fails here anyway.
func pin(int, ...int) error { return nil }

// processors are not known.
func processors() []int { return nil }
