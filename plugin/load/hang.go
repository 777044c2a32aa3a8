package load

// A slow replica is not a dead one: its queue says how slow it is, and the policies go by that. To take it out for being
// slow sends its sessions elsewhere, where their prompts are computed anew; that is more load, and the next one fails. A
// fleet that was slow together collapsed by it for good: hit ratio .92 to .49, and the first token after 1,100 s.
//
// An endpoint hangs where nothing at all has moved (no first token, no answer, no error) for hangTimes as long as what is
// queued there should take at the rate that it has shown, while at least half of the others that had work have moved. It
// must be more than one client's doing: a client that holds its upload back has one request there, and the replica's
// page of metrics shows none. At most hangShare of the pool is out for that reason at a time, and at least one can be: what
// Envoy's max_ejection_percent does for outliers, with its default.

const (
	hangTimes = 10
	hangLeast = 6.0 // seconds that queued work is taken for at least: a minute of silence in all
	hangTries = 2
	hangShare = 0.1
)

// ask notes that a request is sent, with which so many prompt tokens are queued.
func (h *health) ask(now int64, work float64) {
	if h.asked == 0 {
		h.asked, h.work = now, work
	}
	h.tries++
}

// moved notes that something came.
func (h *health) moved(now int64) { h.progress, h.asked, h.tries = now, 0, 0 }

// Tick looks for endpoints that hang, and takes them out of use until a probe is answered.
func (t *Table) Tick(now int64) {
	present, out := 0, 0
	for i := range t.ends {
		if t.Present(i) {
			present++
		}
		if h := &t.ends[i].health; h.down && h.hung {
			out++
		}
	}
	most := max(int(hangShare*float64(present)), 1)
	for i := range t.ends {
		h := &t.ends[i].health
		if out < most && t.Bears(i) && t.silent(i, now) && t.othersMove(i) {
			h.down, h.hung, h.pause = true, true, firstPause
			h.probeAt = now + h.pause
			out++
		}
	}
}

// silent says whether nothing has moved at endpoint i for far longer than what waits there should take.
func (t *Table) silent(i int, now int64) bool {
	e := &t.ends[i]
	if e.health.asked == 0 || e.health.tries < hangTries {
		return false
	}
	if s := &e.scrape; s.belief(now) > 0 && s.running+s.waiting < 1 {
		return false // the requests have not reached it: their bodies are still held back
	}
	seconds := max(t.Overhead(i)+e.health.work*t.PerToken(i), hangLeast)
	return float64(now-e.health.asked)/1e9 > hangTimes*seconds
}

// othersMove says whether at least half of the others that were asked for something have moved since endpoint i was.
func (t *Table) othersMove(i int) bool {
	since, asked, moved := t.ends[i].health.asked, 0, 0
	for j := range t.ends {
		h := &t.ends[j].health
		if j == i || !t.Bears(j) {
			continue
		}
		switch {
		case h.progress > since:
			asked, moved = asked+1, moved+1
		case h.asked != 0:
			asked++
		}
	}
	return moved > 0 && 2*moved >= asked
}
