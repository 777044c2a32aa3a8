package gossip

import "testing"

// A gateway whose endpoints change all the time does not ask for all that others know all the time, and hears of their load meanwhile.
func TestRenewedAllTheTime(t *testing.T) {
	m := newMesh(t, 3)
	m.run(4)
	for n := range 12000 {
		m.send(m.gateways[n%3], n%2, n, 10)
		if n%50 == 0 {
			m.run(1)
		}
	}
	m.run(20)
	g := m.gateways[0]
	renewing, unknown, ticks := 0, 0, 60*20
	g.Stats(m.now)
	for tick := range ticks {
		if tick%20 == 0 {
			g.Renew(m.now)
		}
		m.run(1)
		if !g.whole {
			renewing++
		}
		if g.pool.Counted(0) < 5900 {
			unknown++
		}
	}
	taken := g.Stats(m.now).Entries
	t.Logf("in %d ticks it was told %d of 8000 entries; in %d ticks it began anew, in %d a load was not known", ticks, taken, renewing, unknown)
	if taken > 7*12000 || renewing > ticks/5 || unknown > ticks/20 {
		t.Errorf("in %d ticks it was told %d of 8000 entries; in %d ticks it began anew, in %d a load was not known", ticks, taken, renewing, unknown)
	}
}
