package scout

// While no request comes, the replicas' metrics serve nobody, and reading them is most of what an idle gateway costs. So they
// are read more seldom then; a page that is read every quietInterval still weighs five eighths when the next request comes
// (pool.Requests), and with that request the configured interval is back, at the next tick. After longAfter the pages of
// large pools are further apart: then own counts, which are all 0, decide the next request until pages have come.
const (
	quietAfter    = 10e9  // nanoseconds without a request
	quietInterval = 5e9   // nanoseconds between two readings of one replica
	longAfter     = 60e9  // nanoseconds without a request
	longApart     = .25e9 // nanoseconds between two readings of any replica
	longInterval  = 20e9  // nanoseconds between two readings of one replica, at most: beyond 30 s they count as failing
	// quietRequests is how many recent requests (pool.WorkSpan) are still traffic, whether or not more come: below it each new
	// one shows, because between two ticks fewer than half a request fades.
	quietRequests = 30
)

// pace is how often metrics are read.
type pace struct {
	interval int64   // nanoseconds; 0: as configured
	traffic  int64   // ns: when requests were last seen; 0: not looked at yet
	recent   float64 // requests of the pool, as they faded by then
	logged   uint64  // prompts of all workers (share.Board.Logged)
}

// setPace looks for traffic of any worker, or of a gateway that shares its news.
func (s *Scout) setPace(now int64) {
	recent := s.pool.OwnRequests(now) + s.pool.OtherRequests()
	logged := s.board.Logged() // a peer's single request is less than one when it is published
	busy := s.pace.traffic == 0 || now < s.pace.traffic || recent > min(s.pace.recent, quietRequests) || logged != s.pace.logged
	for i := 0; i < len(s.pool.Endpoints) && !busy; i++ {
		busy = s.pool.InFlight(i) > 0
	}
	s.pace.recent, s.pace.logged = recent, logged
	if busy {
		s.pace.traffic = now
		if s.pace.interval != 0 {
			s.pace.interval = 0
			for i := range s.polls {
				s.polls[i].due = min(s.polls[i].due, s.polls[i].began+s.cfg.Scrape.Interval)
			}
		}
	} else if idle := now - s.pace.traffic; idle >= longAfter {
		s.pace.interval = min(max(quietInterval, int64(len(s.pool.Endpoints))*longApart), longInterval)
	} else if idle >= quietAfter {
		s.pace.interval = quietInterval
	}
}

// scrapeInterval is the time between two readings of one replica's metrics, in nanoseconds.
func (s *Scout) scrapeInterval() int64 { return max(s.cfg.Scrape.Interval, s.pace.interval) }
