package route

import "warmroute/plugin/pool"

// A server computes a token of each response under way in every step, and reads the KV of its context. So each request makes the steps of the
// others at its endpoint longer, and they its own: d of the cost.
const (
	// reading is how many tokens of KV are read in the time in which one token is computed. Cards that compute faster read faster,
	// too, so that it differs little: by the profiles (docs/fidelity.md) it is 550 to 660 with a model of 8B, 1,170 with one of 70B.
	reading = 667

	// ended is what a late end of a response counts against a late first token. So of the steps that those under way make longer the one counts
	// that computes the prompt, and this part of each of the response's; and of the steps that it makes longer for them this part of each. It is
	// judged (docs/rule.md).
	ended = 1. / 64
)

// steps is what counts of the steps that responses under way make longer, and those that the request makes longer for them. Of each of theirs
// a whole answer is taken to be left, and half of one written. If all were of one length half would be left, too; if lengths scatter as
// exponential ones do, a whole one would be written. What they do lies between, and this is judged (docs/rule.md).
type steps struct {
	own     float64 // steps of the request that count
	others  float64 // what the request makes the steps longer of each response under way, of those steps that count, in prompt tokens
	each    float64 // what each of those under way makes a step longer, beside its prompt's context, in prompt tokens
	typical float64 // the tokens of a typical prompt
}

// steps is for a request with so many tokens of prompt.
func (v *view) steps(prompt, typical float64) steps {
	answer := v.pool.Answers.Mean()
	late, half := float64(ended*answer), answer/2 // of each answer as much has been written, on average
	return steps{1 + late, late * (1 + (prompt+half)/reading), 1 + half/reading, typical}
}

// longer is what the responses under way at an endpoint make a step longer, in prompt tokens. Requests of which nothing is known are taken
// to have typical prompts.
func (s *steps) longer(t *pool.Summary) float64 {
	return float64(t.Requests*s.each) + float64((t.Reads+float64(t.Unknown*s.typical))*(1./reading)) // a division takes longer
}
