package advice

import (
	"fmt"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/verdict"
)

// fewest requests of a trace are judged: below, even a certain gain says little about tomorrow's. With fewer than filled
// for each replica the caches are being filled for much of the trace. Of Mooncake's conversations the first 25, 50 and 200
// requests on eight replicas show gains of 0.4, 8 and 11 %, all of them 26 %.
const (
	fewest = 100
	filled = 100
)

// tooFew says whether nothing follows from the trace.
func (a *Advice) tooFew() bool { return a.Requests < fewest }

// judge says in a sentence or two what the trace says.
func (a *Advice) judge() {
	a.Helps = a.Gain.Low > verdict.NoGain
	a.Policy = contender.Default
	gain := fmt.Sprintf("against %s, the best policy by load, the mean time to the first token is %s shorter", a.ByLoad, a.Gain)
	switch {
	case a.tooFew():
		a.Helps = false
		a.Verdict = fmt.Sprintf("Too few requests to tell: %d. From %d on there is a first answer; one to rely on takes about %d, %d for each replica, or an hour of traffic.",
			a.Requests, fewest, filled*a.Replicas, filled)
	case a.Helps:
		a.Verdict = fmt.Sprintf("This will help you: %s, %s instead of %s.", gain, figure.Millis(a.Means[1].TTFT), figure.Millis(a.Means[0].TTFT))
		switch before, whole := figure.Millis(a.Means[0].Whole), figure.Millis(a.Means[1].Whole); { // what users of short prompts and long answers feel
		case a.GainWhole.High < -verdict.NoGain:
			a.Verdict += fmt.Sprintf(" Whole answers take longer, %s instead of %s.", whole, before)
		case a.GainWhole.High < verdict.NoGain && whole == before:
			a.Verdict += fmt.Sprintf(" Whole answers take as long as before, %s.", whole)
		case a.GainWhole.High < verdict.NoGain:
			a.Verdict += fmt.Sprintf(" Whole answers take about as long as before, %s instead of %s.", whole, before)
		}
		switch f := a.Fleet; {
		case f.Most == 0: // interrupted before
		case f.Same < a.Replicas && f.ByLoad > a.Replicas:
			a.Verdict += fmt.Sprintf(" %d replicas do what %d do today; by load it would take %d to be as quick as %d.", f.Same, a.Replicas, f.ByLoad, a.Replicas)
		case f.Same < a.Replicas:
			a.Verdict += fmt.Sprintf(" %d replicas do what %d do today.", f.Same, a.Replicas)
		case f.ByLoad > a.Replicas:
			a.Verdict += fmt.Sprintf(" By load it would take %d replicas to be as quick as %d.", f.ByLoad, a.Replicas)
		case f.ByLoad == 0:
			a.Verdict += fmt.Sprintf(" By load, %d replicas are not as quick as %d with it.", f.Most, a.Replicas)
		}
	case a.Gain.High < verdict.NoGain, a.Bounds.Infinite < few:
		a.Verdict = fmt.Sprintf("This will not help you: against %s, the best policy by load, the gain in mean time to the first token is %s. Envoy's own LEAST_REQUEST is enough.", a.ByLoad, a.Gain)
		a.Policy = ""
	default:
		a.Verdict = fmt.Sprintf("This trace does not show whether it will help you: the gain over %s, the best policy by load, is %s, and below %s it counts as none. More of the log, or more --seeds, narrows the interval.", a.ByLoad, a.Gain, figure.Percent(verdict.NoGain))
	}
}
