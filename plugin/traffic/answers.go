package traffic

import "warmroute/plugin/speed"

// Answers are how long answers are, by the usage of this worker's responses: the last hundred or so.
type Answers struct{ sum, of float64 } // tokens, of so many

const (
	// usualAnswer is the tokens of an answer as long as none has told, and fewAnswers how many of that length come before those.
	usualAnswer = 192
	fewAnswers  = 8

	// longestAnswer bounds what one counts, in tokens, and longerAnswer how many times the mean, once some have told: a server may say any
	// number, and one of eight makes the mean no more than twice as long.
	longestAnswer = 20_000
	longerAnswer  = 4
	someAnswers   = 16
)

// Add counts one of so many tokens.
func (a *Answers) Add(tokens int) {
	counts := float64(min(max(tokens, 0), longestAnswer))
	if a.of >= someAnswers-2 { // earlier ones count a little less
		counts = min(counts, longerAnswer*a.Mean())
	}
	a.sum, a.of = float64(a.sum*speed.Keep)+counts, float64(a.of*speed.Keep)+1
}

// Mean is the tokens of an answer, 0 to 20,000.
func (a *Answers) Mean() float64 { return (a.sum + usualAnswer*fewAnswers) / (a.of + fewAnswers) }
