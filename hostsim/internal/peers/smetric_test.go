package peers

import (
	"encoding/json"
	"testing"

	"warmroute/hostsim/internal/router"
)

// later sends a conversation's second turn.
func later(t *testing.T, e *Engine, user, answer, next string) (replica int, reason string, under *ticket) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"model": "m", "messages": []map[string]string{
		{"role": "system", "content": ""}, {"role": "user", "content": user}, {"role": "assistant", "content": answer}, {"role": "user", "content": next}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := e.Begin(0, &router.Request{Path: "/v1/chat/completions", Body: body})
	if err != nil {
		t.Fatal(err)
	}
	under = got.(*ticket)
	return under.member.place, under.reason, under
}

// A later turn stays while its first token is soon there, or is nowhere; a first turn goes to the least work.
func TestSMetric(t *testing.T) {
	e := engine(t, "smetric", 2)
	s := e.policy.(*smetric)
	home, reason, first := send(t, e, "", text("hot", 500))
	if reason != "by_load" {
		t.Errorf("a first turn: %s", reason)
	}
	if s.queued[home] < 2000 {
		t.Errorf("%g queued, want its %d characters and more", s.queued[home], 4*500)
	}
	e.Advance(1e9)
	first.Chunk([]byte("first"), false)
	if s.queued[home] != 0 || len(s.rates[home].samples) != 1 {
		t.Errorf("%g queued after its first token, %d samples", s.queued[home], len(s.rates[home].samples))
	}
	turn := func() (int, string) {
		replica, reason, _ := later(t, e, text("hot", 500), "yes", "go on")
		return replica, reason
	}
	s.queued[home] = 1e6
	if replica, reason := turn(); replica != home || reason != "match" {
		t.Errorf("no rate is known: went to %d (%s), was at %d", replica, reason, home)
	}
	for range 8 {
		s.rates[0].add(10_000)
		s.rates[1].add(10_000)
	}
	if replica, reason := turn(); replica == home || reason != "by_load" {
		t.Errorf("100 s to its first token: stayed at %d (%s)", replica, reason)
	}
	e = engine(t, "smetric", 2)
	s = e.policy.(*smetric)
	home, _, _ = send(t, e, "", text("hot", 500))
	s.rates[0].rate, s.rates[1].rate = 1, 1
	if replica, reason := turn(); replica != home || reason != "match" {
		t.Errorf("late everywhere: went to %d (%s), was at %d", replica, reason, home)
	}
	e.Watch(nil, []string{e.members[0].address})
	send(t, e, "", text("new", 10))
}

// The ninth decile of the last 64 samples counts, from the eighth on.
func TestSMetricRates(t *testing.T) {
	var r rates
	for i := range 7 {
		r.add(float64(i))
	}
	if r.rate != 0 {
		t.Errorf("a rate of %g of seven samples", r.rate)
	}
	for range 64 {
		r.add(5)
	}
	for i := range 10 {
		r.add(float64(100 + i))
	}
	if r.rate != 103 || len(r.samples) != 64 {
		t.Errorf("a rate of %g of %d samples, want 103 of 64", r.rate, len(r.samples))
	}
}
