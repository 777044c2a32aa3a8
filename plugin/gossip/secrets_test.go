package gossip

import (
	"strings"
	"testing"

	"warmroute/plugin/news"
)

// The secret is changed in two steps, gateway after gateway. Each that has started anew knows what was routed before, and all know what
// each routes, at every moment.
func TestSecretsRotate(t *testing.T) {
	const former, first, hashes = "the former secret", "the secret from now on", "that of all hashes"
	for _, c := range []struct{ name, before, meanwhile, after string }{
		{"hashes under the former", former, first + "," + former, first + ",hash=" + former},
		{"hashes under their own", former + ",hash=" + hashes, first + "," + former + ",hash=" + hashes, first + ",hash=" + hashes},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := &mesh{t: t, now: start, cut: map[string]bool{}, faults: map[Fault]int{}}
			const gateways = 3
			for i := range gateways {
				m.begin(i, c.before)
			}
			for _, g := range m.gateways {
				g.SetPeers(m.addresses(), m.now)
			}
			m.run(10)
			sent := 0
			for step, text := range []string{c.meanwhile, c.after} {
				for i := range m.gateways {
					m.begin(i, text).SetPeers(m.addresses(), m.now)
					m.run(100)
					if n := m.gateways[i].lacks(sent); n > 0 {
						t.Errorf("step %d: gateway %d, started anew, lacks %d of %d prompts", step+1, i, n, sent)
					}
					for _, g := range m.gateways {
						m.send(g, sent%2, sent, 1)
						sent++
					}
					m.run(4)
					for k, g := range m.gateways {
						if s := g.Stats(m.now); g.lacks(sent) > 0 || s.Peers != gateways-1 {
							t.Errorf("step %d, gateway %d is new: gateway %d lacks %d of %d prompts and has %d peers", step+1, i, k, g.lacks(sent), sent, s.Peers)
						} else if want := step == 0 && k <= i && i < gateways-1; (s.Former > 0) != want {
							t.Errorf("step %d, gateway %d is new: to gateway %d %d know a former secret alone", step+1, i, k, s.Former)
						}
					}
				}
			}
			if m.faults[Refused] > 0 {
				t.Errorf("faults %v: gateways that know a secret in common refuse each other", m.faults)
			}
			key := news.NewKey(former)
			ask := news.Ask{From: 5, Number: 6, Dialect: m.gateways[0].dialect}
			if _, _, fault := m.gateways[0].Answer(ask.Append(nil, key), m.now); fault != Secret {
				t.Errorf("an ask under the former secret, after the change: %q", fault)
			}
		})
	}
}

// lacks is how many of so many prompts of send are not known here.
func (g *gateway) lacks(sent int) (lacked int) {
	for n := range sent {
		if !g.holds(n%2, n) {
			lacked++
		}
	}
	return lacked
}

// A gateway that knows none of the secrets is asked under each, and then ever more rarely, as one that does not answer.
func TestStrangersAreAskedRarely(t *testing.T) {
	m := newMesh(t, 1)
	m.begin(0, strings.Repeat("one of my secrets,", 3)+secret)
	m.begin(1, "another secret of many characters")
	for _, g := range m.gateways {
		g.SetPeers(m.addresses(), m.now)
	}
	m.run(200)
	before := m.faults[Secret]
	m.run(200) // ten seconds, in which each asks five times
	if asked := m.faults[Secret] - before; asked > 6*4+6 {
		t.Errorf("asked %d times in ten seconds", asked)
	}
	if m.faults[Refused] == 0 {
		t.Errorf("faults %v, want some that say that asks were refused", m.faults)
	}
}
