package calibrate

import (
	"fmt"
	"math"
	"slices"

	"warmroute/hostsim/internal/vllm"
)

// knob is a factor of several numbers of a profile that a measurement cannot tell apart.
type knob struct {
	name   string
	fields []string
	spread float64 // what a data sheet may be off, as a relative half-width
}

var knobs = []knob{
	{"prefill and arithmetic", []string{"prefill_ns_per_token", "decode_ns_per_seq", "token_overhead_ns", "attention_ns_per_pair"}, .2},
	{"reading the weights", []string{"weights_ns"}, .15},
	{"reading KV", []string{"decode_ns_per_kv_token"}, .15},
	{"each step and sequence", []string{"step_overhead_ns", "sequence_ns", "admit_ns"}, .8},
	{"launching a prefill", []string{"launch_ns"}, unknown},
	{"front end, each request", []string{"frontend_ns"}, unknown},
	{"front end, each token of text", []string{"frontend_ns_per_token"}, unknown},
}

// unknown is the spread of what no data sheet says.
const unknown = 2

// firstGuess is the source of a number that the profile did not have.
const firstGuess = "first guess"

// in reports whether p has any of the knob's numbers: nothing scales a 0.
func (k *knob) in(p *vllm.Profile) bool {
	for _, name := range k.fields {
		if v, _ := p.Value(name); v != 0 {
			return true
		}
	}
	return false
}

// Factor is what became of one knob.
type Factor struct {
	Name    string
	Value   float64 // of the numbers that the profile came with
	Spread  float64 // what was allowed for before
	Known   bool    // a tenth more makes the fit worse, even if another knob makes up for it
	Penalty float64 // by how much that makes the mean relative error worse
	With    string  // the knob that makes up for it best, or ""
	Found   float64 // ns, of a number that the profile did not have; Value is of a first guess
	Absent  bool    // the profile has nothing of it
}

// Fitted is a profile that agrees with a measurement.
type Fitted struct {
	Profile       vllm.Profile
	Factors       []Factor
	Loss, Without float64   // mean relative error after and before
	Before, After [2]Errors // of a log: over the requests that were fitted, and the others
	Parts         [2]int    // how many those are
	Residuals     []Residual
}

// Residual is one measured value beside the model's.
type Residual struct {
	Name            string
	Measured, Model float64
	Fitted          bool // it was part of what was fitted
}

// known is the least penalty of a knob that a measurement determines.
const known = .004

// directions are what the search tries: each knob alone, and pairs, one up and the other down or both up, since a
// measurement often knows the sum of two better than either. The columns are those of knobs; zeros at the end are left out.
var directions = [][]float64{
	{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1},
	{1, -1}, {1, 0, -1}, {0, 1, -1}, {0, 1, 0, -1}, {0, 0, 1, -1}, {1, 0, 0, -1}, {1, 1, 1, 1}, {0, 1, 1},
	{0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0, 1},
	{0, 0, 0, 0, 1, -1}, {0, 0, 0, 0, 1, 1}, {1, 0, 0, 0, -1}, {1, 0, 0, 0, 0, -1}, {0, 0, 0, 0, 0, 1, -1}, {0, 0, 0, 0, 1, 0, -1},
}

// searched are the directions in which only knobs move that p has.
func searched(p *vllm.Profile) [][]float64 {
	return slices.DeleteFunc(slices.Clone(directions), func(d []float64) bool {
		for i, by := range d {
			if by != 0 && !knobs[i].in(p) {
				return true
			}
		}
		return false
	})
}

// Fit searches the factors of the knobs that make loss, a mean relative error, smallest. A factor far from 1 costs a
// little, measured in its spread, so that what loss does not depend on stays as it was. The search is a pattern search
// (Hooke and Jeeves, 1961) along directions, and halves its steps; equal inputs give equal results. source is noted in the fields that changed.
func Fit(p vllm.Profile, source string, loss func(vllm.Profile) (float64, error)) (*Fitted, error) {
	logs, ways := make([]float64, len(knobs)), searched(&p)
	cost := func() (float64, error) {
		l, err := loss(scaled(p, logs))
		for i, k := range knobs {
			z := logs[i] / math.Log1p(k.spread)
			l += .002 * z * z
		}
		return l, err
	}
	f := &Fitted{}
	var err error
	if f.Without, err = loss(p); err != nil {
		return nil, err
	}
	best := f.Without
	for step := .2; step > .004; {
		moved := false
		for _, d := range ways {
			for _, sign := range []float64{step, -step} {
				was := slices.Clone(logs)
				for i, by := range d {
					logs[i] = max(-2, min(2, was[i]+sign*by))
				}
				c, err := cost()
				if err != nil {
					return nil, err
				}
				if c < best-1e-9 {
					best, moved = c, true
					break
				}
				copy(logs, was)
			}
		}
		if !moved {
			step /= 2
		}
	}
	f.Profile = scaled(p, logs)
	if f.Loss, err = loss(f.Profile); err != nil {
		return nil, err
	}
	if err := f.factors(p, logs, loss); err != nil {
		return nil, err
	}
	return f, f.note(p, source)
}

// scaled is p with each knob's numbers times e to its log.
func scaled(p vllm.Profile, logs []float64) vllm.Profile {
	for i, k := range knobs {
		for _, name := range k.fields {
			v, _ := p.Value(name)
			_ = p.Set(name, v*math.Exp(logs[i]), p.Sources[name]) // within its range: vllm.NewEngine checks it
		}
	}
	return p
}

// factors looks at what moving each knob by a tenth costs, when another one may make up for it.
func (f *Fitted) factors(p vllm.Profile, logs []float64, loss func(vllm.Profile) (float64, error)) error {
	for i, k := range knobs {
		factor := Factor{Name: k.name, Value: math.Exp(logs[i]), Spread: k.spread, Penalty: math.Inf(1)}
		if !k.in(&p) {
			f.Factors = append(f.Factors, Factor{Name: k.name, Value: 1, Spread: k.spread, Absent: true})
			continue
		}
		if p.Sources[k.fields[0]] == firstGuess {
			factor.Found, _ = f.Profile.Value(k.fields[0])
		}
		for j := range knobs {
			for _, d := range []float64{0, -.05, .05, -.1, .1, -.2, .2} {
				if d != 0 && i == j || d == 0 && i != j {
					continue
				}
				moved := slices.Clone(logs)
				moved[i] += .1
				moved[j] += d
				l, err := loss(scaled(p, moved))
				if err != nil {
					return err
				}
				if worse := l - f.Loss; worse < factor.Penalty {
					factor.Penalty, factor.With = worse, ""
					if i != j {
						factor.With = knobs[j].name
					}
				}
			}
		}
		factor.Known = factor.Penalty > known
		f.Factors = append(f.Factors, factor)
	}
	return nil
}

// note writes the sources of what changed, and rounds it to four digits.
func (f *Fitted) note(p vllm.Profile, source string) error {
	for i, k := range knobs {
		for _, name := range k.fields {
			v, _ := f.Profile.Value(name)
			was, _ := p.Value(name)
			if v == 0 {
				continue
			}
			text := fmt.Sprintf("calibrated: %.3f x %.4g (%s); %s", f.Factors[i].Value, was, p.Sources[name], source)
			if f.Factors[i].Found > 0 {
				text = "calibrated; " + source
			}
			if !f.Factors[i].Known {
				text += "; that measurement does not determine it"
			}
			scale := math.Pow(10, 3-math.Floor(math.Log10(v)))
			if err := f.Profile.Set(name, math.Round(v*scale)/scale, text); err != nil {
				return err
			}
		}
	}
	f.Profile.Basis = vllm.Calibrated
	f.Profile.About = p.About + "; calibrated: " + source
	return nil
}

// setError notes how far steps may be off.
func (f *Fitted) setError(e float64, source string) error {
	return f.Profile.Set("step_error", math.Round(1000*min(e, 1))/1000, source)
}
