// Package figure writes numbers as readers of tables and sentences want them. It imports nothing of ours.
package figure

import (
	"fmt"
	"strconv"
)

// Percent is a share, 1 being all, as a percentage with one decimal.
func Percent(share float64) string {
	if share > -0.0005 && share < 0.0005 {
		share = 0 // not -0.0
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// Signed is a share as Percent writes it, always with its sign.
func Signed(share float64) string { return fmt.Sprintf("%+.1f %%", 100*share) }

// Millis is a time in ms, with its unit: s from one second on.
func Millis(ms float64) string {
	switch {
	case ms >= 10_000:
		return fmt.Sprintf("%.1f s", ms/1000)
	case ms >= 1000:
		return fmt.Sprintf("%.2f s", ms/1000)
	case ms >= 100:
		return fmt.Sprintf("%.0f ms", ms)
	}
	return fmt.Sprintf("%.1f ms", ms)
}

// Decimal is a number with so many digits after the point.
func Decimal(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }

// Plain is a number as short as six significant digits allow.
func Plain(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// MS is a time of a replay, ns, in ms.
func MS(ns int64) float64 { return float64(ns) / 1e6 }
