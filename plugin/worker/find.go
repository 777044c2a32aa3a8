package worker

import (
	"slices"
	"strings"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/inspect"
)

// finder finds a request's pool: by the cluster that the route chose, else by the model, else the pool of all other
// requests. What it takes does not grow with the number of pools.
type finder struct {
	rest     *Pool            // of all other requests; nil: none
	clusters map[string]*Pool // by the whole name; nil: no pool fits
	models   map[string]*Pool
	begins   map[string]*Pool // by what a model begins with
	lengths  []int            // of the keys of begins, the longest first
	patterns []*config.NamedPool
}

// mostClusters bounds the clusters that finder.clusters remembers.
const mostClusters = 4096

// findPools makes the pools of the configuration, and the ways to them.
func (w *Worker) findPools() {
	f := &w.finder
	if len(w.cfg.Pools) == 0 {
		f.rest = w.newPool(w.cfg, "", false, 0)
		return
	}
	f.clusters, f.models, f.begins = map[string]*Pool{}, map[string]*Pool{}, map[string]*Pool{}
	for i := range w.cfg.Pools {
		named := &w.cfg.Pools[i]
		if named.IsPattern() {
			f.patterns = append(f.patterns, named)
			continue
		}
		p := w.newPool(w.cfg.Of(named), named.Name, named.Off, len(w.pools))
		switch m := &named.Match; {
		case m.Cluster != "":
			f.clusters[m.Cluster], p.routed = p, true
		case len(m.Models) > 0:
			f.addModels(m.Models, p)
		default:
			f.rest = p
		}
	}
}

func (f *finder) addModels(models []string, p *Pool) {
	for _, m := range models {
		begin, all := strings.CutSuffix(m, "*")
		if !all {
			f.models[m] = p
			continue
		}
		f.begins[begin] = p
		f.addLength(len(begin))
	}
}

func (f *finder) addLength(n int) {
	at := 0
	for at < len(f.lengths) && f.lengths[at] > n {
		at++
	}
	if at == len(f.lengths) || f.lengths[at] != n {
		f.lengths = slices.Insert(f.lengths, at, n)
	}
}

// ByCluster says whether Begin needs the cluster that the route chose.
func (w *Worker) ByCluster() bool { return len(w.finder.clusters) > 0 || len(w.finder.patterns) > 0 }

// byModel says whether requests may need their model.
func (f *finder) byModel() bool { return len(f.models) > 0 || len(f.begins) > 0 }

// atHead is the pool of a request as far as its headers say; nil: the model may.
func (w *Worker) atHead(h *inspect.Head) *Pool {
	f := &w.finder
	if h.Cluster != "" && w.ByCluster() {
		p, seen := f.clusters[h.Cluster]
		if !seen {
			h.Keep()
			p = w.found(h.Cluster)
		}
		if p != nil {
			p.used = w.now
			return p
		}
	}
	if f.byModel() {
		return nil
	}
	return f.rest
}

// ofRequest is the pool of a request once its body is known; nil if it is in none.
func (w *Worker) ofRequest(req *decision.Request) *Pool {
	f := &w.finder
	if req.Pool > 0 {
		return w.pools[req.Pool-1]
	}
	if !f.byModel() {
		return f.rest
	}
	if p := f.models[string(req.Model)]; p != nil {
		return p
	}
	for _, n := range f.lengths {
		if n > len(req.Model) {
			continue
		}
		if p := f.begins[string(req.Model[:n])]; p != nil {
			return p
		}
	}
	return f.rest
}

// unused is how long a pool that a pattern made must have had no request to make room for another one, in nanoseconds.
const unused = 600e9

// found is the pool that a pattern makes for the cluster of a request; nil if none fits, or there is no room. All workers will have it.
func (w *Worker) found(cluster string) *Pool {
	p := w.make(cluster)
	if p != nil {
		w.register(cluster)
	}
	return p
}

// make makes that pool in this worker.
func (w *Worker) make(cluster string) *Pool {
	f := &w.finder
	if len(f.clusters) >= mostClusters { // those that fit no pattern
		for name, p := range f.clusters {
			if p == nil {
				delete(f.clusters, name)
			}
		}
	}
	for i, pattern := range f.patterns {
		named := pattern.Found(cluster)
		if named == nil {
			continue
		}
		place := w.room(i+1, pattern.Match.MaxClusters)
		if place < 0 {
			return nil // not remembered: there may be room later
		}
		p := w.newPool(w.cfg.Of(named), named.Name, named.Off, place)
		p.pattern, p.routed = i+1, true
		f.clusters[cluster] = p
		return p
	}
	f.clusters[cluster] = nil
	return nil
}

// room is the place for another pool of a pattern: a new one, or that of a pool that is unused, which is forgotten. −1: none.
func (w *Worker) room(pattern, most int) int {
	n, oldest := 0, -1
	for i, p := range w.pools {
		if p.pattern != pattern {
			continue
		}
		n++
		if w.now-p.used >= unused && p.open == 0 && (oldest < 0 || p.used < w.pools[oldest].used) {
			oldest = i
		}
	}
	if n < most {
		return len(w.pools)
	}
	if oldest >= 0 {
		for name, p := range w.finder.clusters {
			if p == w.pools[oldest] {
				delete(w.finder.clusters, name)
				w.unregister(name)
			}
		}
	}
	return oldest
}
