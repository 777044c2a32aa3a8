package study

import (
	"fmt"
	"strconv"
)

// Percent is a share for readers.
func Percent(share float64) string {
	if share > -0.0005 && share < 0.0005 {
		share = 0 // not -0.0
	}
	return fmt.Sprintf("%.1f %%", 100*share)
}

// Millis is a time in ms for readers.
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

func decimal(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }

func ms(ns int64) float64 { return float64(ns) / 1e6 }

func num(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

func signed(share float64) string { return fmt.Sprintf("%+.1f %%", 100*share) }
