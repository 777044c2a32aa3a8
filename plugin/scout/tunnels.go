package scout

// The proxy's internal listeners lead from its workers only, not from its main thread, whose VM often leads, as it is the first to tick. Which VM is
// that one cannot be told; but it never has requests. So what is behind a listener is asked by a worker that has had some, and one that has
// not leads weakly where there is any: until such a worker claims the lease.

// reaches says whether this worker can ask a host behind a listener; "": behind none.
func (s *Scout) reaches(listener string) bool { return listener == "" || s.board.Joined() }

// reachesGateways says whether it can ask all gateways.
func (s *Scout) reachesGateways() bool { return len(s.through) == 0 || s.board.Joined() }

// weakness is how much of what others need this worker cannot ask, or does not: another configuration of the same endpoints may want lists of models.
func (s *Scout) weakness() (weak uint8) {
	if !s.reachesGateways() || s.tunnels && !s.board.Joined() {
		weak = 2
	}
	if s.cfg.Scrape.Models == "" {
		weak++
	}
	return weak
}

// findTunnels takes note of whether there are endpoints behind listeners.
func (s *Scout) findTunnels() {
	s.tunnels = false
	for i := range s.roster.rows {
		row := &s.roster.rows[i]
		s.tunnels = s.tunnels || row.present && row.endpoint.Listener != ""
	}
}
