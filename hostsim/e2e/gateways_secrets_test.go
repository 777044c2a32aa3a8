//go:build e2e

package e2e

import "testing"

// The secret of three gateways is changed in two steps, one gateway after the other started anew: each knows soon what was routed before, and
// all go on to hear each other.
func TestSecretsRotate(t *testing.T) {
	t.Parallel()
	const former, first, hashes = "a secret of many characters", "another one for the time to come", "and one that stays"
	m := &mesh{t: t, workers: 2, fleet: pool(t), secret: former + ",hash=" + hashes}
	m.launch(3)
	routed := 0
	route := func(i int) {
		for range 4 {
			m.stacks[i].post(t, "/v1/chat/completions", chat(story(routed), "go on", nil))
			routed++
		}
	}
	for i := range m.stacks {
		route(i)
	}
	for step, secret := range []string{first + "," + former + ",hash=" + hashes, first + ",hash=" + hashes} {
		m.secret = secret
		for i := range m.stacks {
			m.stacks[i].Close()
			m.start(i)
			eventually(t, "a gateway that has started anew has been told of what was routed before", func() bool {
				return m.stacks[i].stat(t, "warmroute_peers{")+m.stacks[i].stat(t, "warmroute_peers ") == 2 &&
					m.stacks[i].stat(t, "warmroute_peer_entries_total") >= float64(routed)
			})
			if got := m.known(t, i, routed-12, routed); got < 10 {
				t.Errorf("step %d: gateway %d, started anew, knows %d of 12 prompts", step+1, i, got)
			}
			eventually(t, "the metric says to how many a former secret is still needed", func() bool {
				needed := 0.0
				for k := range m.stacks {
					needed += m.stacks[k].stat(t, "warmroute_peers_former_secret")
				}
				return (needed > 0) == (step == 0 && i < 2)
			})
			eventually(t, "what one gateway routes, the others know", func() bool {
				known, before := 0, routed
				for k := range m.stacks {
					route(k)
				}
				for k := range m.stacks {
					known += m.known(t, (k+1)%3, before+4*k, before+4*k+4)
				}
				t.Logf("step %d, gateway %d is new: of 12 prompts another gateway knows %d", step+1, i, known)
				return known >= 10
			})
			for k := range m.stacks {
				if refused := m.stacks[k].total(t, "peer_faults_total", `reason="refused"`); refused > 0 {
					t.Errorf("step %d, gateway %d is new: gateway %d was refused %v times by one with which it shares a secret", step+1, i, k, refused)
				}
			}
		}
	}
}

// known is how many of the prompts from one number to another gateway i finds somewhere; it knows them all after that.
func (m *mesh) known(t *testing.T, i, from, to int) (known int) {
	for n := from; n < to; n++ {
		if d := m.stacks[i].post(t, "/v1/chat/completions", chat(story(n), "and then?", nil)); d.decision["matched"] != "" && d.decision["matched"] != "0" {
			known++
		}
	}
	return known
}
