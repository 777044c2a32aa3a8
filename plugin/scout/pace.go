package scout

import "warmroute/plugin/config"

// Period is the time between two ticks where requests come, in nanoseconds: at most a second, and short enough to notice a
// held request's timeout.
func Period(cfg *config.Config) int64 {
	period := min(max(cfg.DecideTimeout/5, 5e6), 1e9)
	if cfg.Peers.Cluster != "" {
		period = min(period, cfg.Peers.Interval)
	}
	return period
}

// RestPeriod is the longest time between two ticks, in nanoseconds: heartbeats and leases expire after five.
const RestPeriod = 1e9

// Period is the time to the next tick. While no worker has requests, ticks are most of what an idle gateway costs, so they are a
// RestPeriod apart then, if all that is due can be asked for by so few and no other gateway waits for news.
func (s *Scout) Period() int64 {
	asks := int64(0)
	if s.scrapes {
		for i := range s.pool.Endpoints {
			if s.asksAt(i) {
				asks += RestPeriod
			}
		}
		asks /= s.scrapeInterval()
	}
	switch period := Period(s.cfg); {
	case s.pace.interval == 0 || s.joining || s.gossip != nil || asks > maxCalls/2:
		return period
	case s.clustersPath != "":
		return max(period, min(RestPeriod, s.cfg.Discovery.Interval))
	}
	return RestPeriod
}

// While no request comes, the replicas' metrics serve nobody, and reading them is most of what an idle gateway costs. So they
// are read more seldom then; a page that is read every quietInterval still weighs five eighths when the next request comes
// (pool.Requests), and with that request the configured interval is back, at the next tick. After longAfter the pages of
// large pools are further apart: then own counts, which are all 0, decide the next request until pages have come.
const (
	QuietAfter    = 10e9  // nanoseconds without a request
	quietInterval = 5e9   // nanoseconds between two readings of one replica
	longAfter     = 60e9  // nanoseconds without a request
	longApart     = .25e9 // nanoseconds between two readings of any replica
	longInterval  = 20e9  // nanoseconds between two readings of one replica, at most: beyond 30 s they count as failing
	// quietRequests is how many recent requests (recent.Span) are still traffic, whether or not more come: below it each new
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
	recent := 0.0
	if s.leads && s.scrapes { // the others need not notice requests without a prompt
		recent = s.pool.OwnRequests(now) + s.pool.OtherRequests()
	}
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
	} else if idle >= QuietAfter {
		s.pace.interval = quietInterval
	}
}

// scrapeInterval is the time between two readings of one replica's metrics, in nanoseconds.
func (s *Scout) scrapeInterval() int64 { return max(s.cfg.Scrape.Interval, s.pace.interval) }
