package faults

import (
	"os"
	"strconv"
	"testing"
)

// Whatever fails, in whatever order: every request is answered once, whole, by a replica or by Envoy; nothing stays in flight;
// nothing traps; memory has a bound. WARMROUTE_SEEDS plays that many schedules, from WARMROUTE_SEED on.
func TestSchedules(t *testing.T) {
	m := module(t)
	seeds, from := 20, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("WARMROUTE_SEEDS")); err == nil {
		seeds = n
	}
	if n, err := strconv.ParseUint(os.Getenv("WARMROUTE_SEED"), 10, 64); err == nil {
		from = n
	}
	for seed := from; seed < from+uint64(seeds); seed++ {
		s := Draw(seed)
		faults, err := s.Play(t.Context(), m)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(faults) == 0 {
			if seed%100 == 0 {
				t.Logf("played to seed %d", seed)
			}
			continue
		}
		small := s.Minimise(t.Context(), m)
		left, _ := small.Play(t.Context(), m)
		t.Errorf("seed %d: %q\n%+v\nneeds only %v: %q", seed, faults, s.Options, small.Events, left)
	}
}

// The same seed plays the same.
func TestSchedulesAreDeterministic(t *testing.T) {
	m := module(t)
	for seed := range uint64(3) {
		var pages [2]string
		for i := range pages {
			s := Draw(seed)
			p := &player{members: s.Replicas}
			var err error
			if p.World, err = New(t.Context(), m, s.Options); err != nil {
				t.Fatal(err)
			}
			p.Admin = p.admin
			for _, e := range s.Events {
				p.play(e)
			}
			for _, metric := range p.Proxy.Metrics() {
				if metric.Name != "warmroute_decision_microseconds" {
					pages[i] += metric.Name + " " + strconv.FormatInt(int64(metric.Value), 10) + "\n"
				}
			}
			p.Proxy.Close()
		}
		if pages[0] != pages[1] {
			t.Errorf("seed %d: metrics differ", seed)
		}
	}
}

// What the schedules look for is seen: a body that arrives changed, a request that nobody answers, one that stays in flight.
func TestSchedulesSeeFaults(t *testing.T) {
	m := module(t)
	for name, spoil := range map[string]func(p *player, j *job){
		"changed":   func(_ *player, j *job) { j.whole = append([]byte("x"), j.whole[1:]...) },
		"no answer": func(p *player, j *job) { j.Tried, j.Replica = []string{"nobody"}, &Replica{Mode: Hangs} },
		"in flight": func(p *player, j *job) { p.open = nil },
	} {
		p := &player{}
		var err error
		if p.World, err = New(t.Context(), m, Options{Replicas: 2}); err != nil {
			t.Fatal(err)
		}
		p.Admin = p.admin
		p.begin(Event{A: 7 << 10})
		spoil(p, p.open[0])
		p.rest()
		if len(p.faults) == 0 {
			t.Errorf("%s: not seen", name)
		}
		p.Proxy.Close()
	}
}
