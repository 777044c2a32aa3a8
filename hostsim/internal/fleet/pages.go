package fleet

import (
	"net/http"
	"time"

	"warmroute/hostsim/internal/vllmpages"
)

// handleMetrics is GET /metrics: one consistent reading of each engine and its histograms.
func (s *Server) handleMetrics(w http.ResponseWriter, _ *http.Request) {
	s.scrapes.Add(1)
	var ranks []vllmpages.Rank
	for _, d := range s.drivers {
		d.mu.Lock()
	}
	for _, d := range s.drivers {
		ranks = append(ranks, vllmpages.Rank{Stats: d.engine.Stats(), Metrics: d.metrics})
	}
	page := vllmpages.Write(s.model, ranks, &s.profile)
	for _, d := range s.drivers {
		d.mu.Unlock()
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(page) // an error means that the client has disconnected
}

// handleModels is GET /v1/models.
func (s *Server) handleModels(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, vllmpages.ModelList(s.model, s.adapters, s.profile.MaxModelLen, time.Now().Unix()))
}
