package replay

import "context"

// Interval is what a policy's users see with steps at both ends of the interval of the profile.
type Interval struct {
	Policy                 string
	Best, Expected, Slower *Result
}

// Between replays o twice more: with steps as fast, and as slow, as its profile's error allows. expected is what came of o itself. Errors
// as of Run.
func Between(ctx context.Context, o Options, expected *Result) (Interval, error) {
	o.Progress, o.Detail = nil, false
	between := Interval{Policy: o.Policy, Expected: expected}
	profile := o.Profile
	for _, end := range []struct {
		factor float64
		result **Result
	}{{1 / (1 + profile.Error), &between.Best}, {1 + profile.Error, &between.Slower}} {
		o.Profile = profile.Slower(end.factor)
		r, err := Run(ctx, o)
		if err != nil {
			return between, err
		}
		*end.result = r
	}
	return between, nil
}
