package peers

import "slices"

const aboutSMG = "SMG (Shepherd Model Gateway, of SGLang's gateway's makers), policy cache_aware with KV events: where loads differ by more than 64 and by a factor above 1.5, the fewest requests in flight; else the replica that holds most of the prompt, if that is more than .3 of it; else the fewest. " +
	"Read: \"Cache-Aware Routing\", \"Load Balancing\" and \"KV Events Cache-Aware Routing\" (cache-threshold .3, balance-abs-threshold 64, balance-rel-threshold 1.5). Events are taken to come at once. Left open, and taken here: among equals the fewest requests, then the first."

// smg goes by what caches hold, or by load.
type smg struct{ heard }

const (
	smgThreshold = 0.3
	smgAbs       = 64
	smgRel       = 1.5
)

func (*smg) join(string) {}

func (*smg) leave(int) {}

func (s *smg) pick(r *request) (int, string) {
	low, high := slices.Min(r.inFlight), slices.Max(r.inFlight)
	idle := slices.Index(r.inFlight, low)
	if high-low > smgAbs && float64(high) > smgRel*float64(low) {
		return idle, "by_load"
	}
	best, most := idle, 0
	for i, n := range r.inFlight {
		if held, _ := s.held(i, r.blocks); held > most || held == most && n < r.inFlight[best] {
			best, most = i, held
		}
	}
	if float64(most) > smgThreshold*float64(len(r.blocks)) {
		return best, "match"
	}
	return idle, "by_load"
}
