package traffic

import "warmroute/plugin/speed"

// Answers are how long answers are, by the usage of this worker's responses: the last hundred or so.
type Answers struct{ sum, of float64 } // tokens, of so many

const (
	// usualAnswer is the tokens of an answer as long as none has told, and fewAnswers how many of that length come before those.
	usualAnswer = 192
	fewAnswers  = 8

	// longestAnswer bounds what one counts, in tokens: a server may say any number.
	longestAnswer = 20_000
)

// Add counts one of so many tokens.
func (a *Answers) Add(tokens int) {
	a.sum, a.of = float64(a.sum*speed.Keep)+float64(min(max(tokens, 0), longestAnswer)), float64(a.of*speed.Keep)+1
}

// Mean is the tokens of an answer, 0 to 20,000.
func (a *Answers) Mean() float64 { return (a.sum + usualAnswer*fewAnswers) / (a.of + fewAnswers) }
