// Package flags has the flags that several commands share, and makes of them what replays are asked with. Errors name the flag.
package flags

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"warmroute/hostsim/internal/replay"
)

// Fleet says which replicas join and leave.
type Fleet struct {
	Join    int           `help:"So many of the replicas join later; the gateways discover them."`
	JoinAt  time.Duration `name:"join-at" help:"When they join." default:"2m"`
	JoinFor time.Duration `name:"join-for" help:"How long before and after that the table of joining is about." default:"1m"`
	Away    []string      `help:"Replicas that leave, and are back with an empty cache, by number and span of time, such as 0@90s-3m; 0@90s-: it stays away. They end what they have." placeholder:"N@FROM-TO"`
	Rollout string        `help:"A span of time, such as 10m-20m, in which each replica in turn is replaced by a new one with another address and an empty cache." placeholder:"FROM-TO"`
}

// Timed says whether something is to happen at a time of the trace.
func (f *Fleet) Timed() bool { return f.Join > 0 || len(f.Away) > 0 || f.Rollout != "" }

// Set sets what becomes of the replicas of o, whose number it has. Errors: what is no replica, time or span of one; two flags that exclude each other.
func (f *Fleet) Set(o *replay.Options) error {
	o.Join = replay.Join{Replicas: f.Join, At: f.JoinAt, For: f.JoinFor}
	if join, away, rollout := f.Join > 0, len(f.Away) > 0, f.Rollout != ""; join && away || join && rollout || away && rollout {
		return fmt.Errorf("--join, --away and --rollout do not go together")
	}
	for _, text := range f.Away {
		number, span, _ := strings.Cut(text, "@")
		from, to, _ := strings.Cut(span, "-")
		n, err := strconv.Atoi(number)
		begin, errFrom := time.ParseDuration(from)
		if err != nil || errFrom != nil || n < 0 || n >= o.Replicas || begin <= 0 {
			return fmt.Errorf("--away %s: a replica of 0 to %d and a span of time are needed, such as 0@90s-3m", text, o.Replicas-1)
		}
		o.Changes = append(o.Changes, replay.Change{Replica: n, At: begin})
		if to == "" {
			continue
		}
		end, err := time.ParseDuration(to)
		if err != nil || end <= begin {
			return fmt.Errorf("--away %s: %q is no time after %v", text, to, begin)
		}
		o.Changes = append(o.Changes, replay.Change{Replica: n, At: end, Joins: true})
	}
	if f.Rollout == "" {
		return nil
	}
	span, err := parseSpan(f.Rollout)
	if err != nil {
		return fmt.Errorf("--rollout %s: %w", f.Rollout, err)
	}
	if span.From <= 0 {
		return fmt.Errorf("--rollout %s: it begins after 0s", f.Rollout)
	}
	o.Rollout(span)
	return nil
}

// parseSpan reads two times with a hyphen between them.
func parseSpan(text string) (replay.Span, error) {
	from, to, _ := strings.Cut(text, "-")
	a, errA := time.ParseDuration(from)
	b, errB := time.ParseDuration(to)
	if errA != nil || errB != nil || b <= a {
		return replay.Span{}, fmt.Errorf("two times are needed, such as 60s-120s")
	}
	return replay.Span{From: a, To: b}, nil
}
