// Package verdict says what runs of one trace prove: what caching could save of its prompts, whether routing by prefix helps, and how sure
// that is. It is given results of replays, and runs none.
package verdict

import (
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/replay"
)

// Gains below NoGain are none to speak of; from Helps on, routing by prefix is worth having. Shares of the mean TTFT.
const (
	NoGain = 0.02
	Helps  = 0.05
)

// Of says in a sentence or two whether routing by prefix helps: by the mean TTFT, against the best policy by load. runs are of one trace, at least one;
// b may be nil.
func Of(runs []*replay.Result, b *Bounds) string {
	ours, base := rivals(runs)
	var text strings.Builder
	switch {
	case ours == nil || base == nil:
		best := slices.MinFunc(runs, func(a, b *replay.Result) int { return sign(a.TTFT.Mean - b.TTFT.Mean) })
		fmt.Fprintf(&text, "%s has the least mean time to the first token, %s. To say whether routing by prefix helps, it takes a policy by load and one by prefix.",
			best.Policy, figure.Millis(best.TTFT.Mean))
	default:
		gain := 1 - ours.TTFT.Mean/base.TTFT.Mean
		switch {
		case gain >= Helps:
			text.WriteString("It helps here: ")
		case gain > NoGain:
			text.WriteString("It helps a little here: ")
		case gain >= -NoGain:
			text.WriteString("It makes little difference here: ")
		default:
			text.WriteString("It does not help here: ")
		}
		fmt.Fprintf(&text, "with %s the mean time to the first token is %s, %s with %s, the best that goes by load alone; %s of the prompt tokens come from caches instead of %s.",
			ours.Policy, figure.Millis(ours.TTFT.Mean), against(gain, base.TTFT.Mean), base.Policy, figure.Percent(ours.TokenHitRatio), figure.Percent(base.TokenHitRatio))
	}
	if b != nil {
		fmt.Fprintf(&text, " A cache that never forgets would find %s", figure.Percent(b.Infinite))
		if b.Pooled < b.Infinite-0.0005 {
			fmt.Fprintf(&text, ", and no fleet of this memory more than %s", figure.Percent(b.Pooled))
		}
		text.WriteString(".")
		if b.Infinite < 0.05 {
			text.WriteString(" Hardly anything repeats in this trace, so that there is nothing to gain.")
		}
	}
	return text.String()
}

// rivals are our default (without it, the best policy that knows prompts) and the best of those that do not; nil where
// there is none.
func rivals(runs []*replay.Result) (ours, base *replay.Result) {
	for _, r := range runs {
		switch {
		case contender.ByLoad(r.Policy):
			if base == nil || r.TTFT.Mean < base.TTFT.Mean {
				base = r
			}
		case ours != nil && ours.Policy == contender.Default:
		case r.Policy == contender.Default || ours == nil || r.TTFT.Mean < ours.TTFT.Mean:
			ours = r
		}
	}
	return ours, base
}

func against(gain, base float64) string {
	switch {
	case gain > NoGain:
		return fmt.Sprintf("%s less than the %s", figure.Percent(gain), figure.Millis(base))
	case gain < -NoGain:
		return fmt.Sprintf("%s more than the %s", figure.Percent(-gain), figure.Millis(base))
	}
	return "beside " + figure.Millis(base)
}

func sign(v float64) int {
	switch {
	case v < 0:
		return -1
	case v > 0:
		return 1
	}
	return 0
}
