package pool

import (
	"warmroute/plugin/exposition"
	"warmroute/plugin/prompt"
	"warmroute/plugin/recent"
)

// LoRA adapters. A replica holds a few at a time and loads another one when a request needs it, in the place of the one that
// was used least recently. Which it holds is believed from its metrics (vllm:lora_requests_info says which ran and waited, and
// when), and from what this worker has sent there since.

// slots is what is known of one endpoint's adapters.
type slots struct {
	most int          // that it holds; 0: not known
	list []adapterUse // the last used first, at most exposition.MaxAdapters
}

type adapterUse struct {
	key uint32
	at  int64 // ns: when it was sent there, or appeared in the metrics
}

const (
	// mostAdapters bounds the adapters that a pool knows of.
	mostAdapters = 4096

	// renewAdaptersEvery is how often they may be gathered anew, in nanoseconds.
	renewAdaptersEvery = 10e9

	// shownBy is when an adapter is to have appeared in an endpoint's metrics after a request was sent there, in nanoseconds:
	// until then it counts as used later than those that they show.
	shownBy = 3e9
)

// adapterOf is the key of a prompt's adapter, 0 if it has none: a model that no endpoint's metrics name as an adapter is none.
func (p *Pool) adapterOf(of *prompt.Prompt) uint32 {
	if len(p.adapters) == 0 {
		return 0
	}
	name := of.Adapter
	if len(name) == 0 {
		name = of.Model
	}
	if key := exposition.Adapter(name); p.adapters[key] {
		return key
	}
	return 0
}

// noteAdapter notes that the model of that key is an adapter.
func (p *Pool) noteAdapter(key uint32) {
	if len(p.adapters) >= mostAdapters {
		return
	}
	if p.adapters == nil {
		p.adapters = map[uint32]bool{}
	}
	p.adapters[key] = true
}

// renewAdapters makes room among the known adapters, where there is none, by forgetting all that no endpoint holds or lists any more: they
// come and go, and one endpoint's pages must not use up what there is for all.
func (p *Pool) renewAdapters(now int64) {
	if len(p.adapters) < mostAdapters || now-p.adaptersRenewed < renewAdaptersEvery && now >= p.adaptersRenewed {
		return
	}
	p.adaptersRenewed = now
	p.adapters = map[uint32]bool{}
	for i := range p.ends {
		for _, u := range p.ends[i].slots.list {
			p.noteAdapter(u.key)
		}
	}
	if p.lists == nil {
		return
	}
	for _, list := range p.lists.of {
		for _, m := range list {
			if m.IsAdapter() {
				p.noteAdapter(m.Key())
			}
		}
	}
}

// place is the adapter's place in the list; −1 if it is not there.
func (s *slots) place(key uint32) int {
	for i := range s.list {
		if s.list[i].key == key {
			return i
		}
	}
	return -1
}

func (s *slots) holds(key uint32) bool {
	at := s.place(key)
	return at >= 0 && at < s.most
}

// use records that a request for the adapter goes to the endpoint.
func (s *slots) use(key uint32, now int64) {
	if key == 0 || s.most == 0 {
		return
	}
	at := s.place(key)
	if at < 0 {
		if at = len(s.list); at < exposition.MaxAdapters {
			s.list = append(s.list, adapterUse{})
		} else {
			at--
		}
	}
	copy(s.list[1:at+1], s.list[:at])
	s.list[0] = adapterUse{key, now}
}

// applyAdapters takes what a page of endpoint i's metrics says. What was sent there just now may not be on it yet.
func (p *Pool) applyAdapters(i int, now int64, l *exposition.Load) {
	s := &p.ends[i].slots
	s.most = l.AdapterSlots
	next := make([]adapterUse, 0, exposition.MaxAdapters)
	for _, u := range s.list {
		if u.at <= now && now-u.at < shownBy { // else it was sent before the clock was set back
			next = append(next, u)
		}
	}
	merged := slots{list: next}
	for _, key := range l.Adapters {
		if key == 0 || len(merged.list) == exposition.MaxAdapters {
			break
		}
		p.noteAdapter(key)
		if merged.place(key) >= 0 {
			continue
		}
		use := adapterUse{key, now}
		if at := s.place(key); at >= 0 {
			use = s.list[at]
		}
		merged.list = append(merged.list, use)
	}
	for _, u := range s.list { // a page may show only what runs and waits at that time
		if len(merged.list) < exposition.MaxAdapters && merged.place(u.key) < 0 {
			merged.list = append(merged.list, u)
		}
	}
	s.list = merged.list
}

// NeedsAdapter says whether LoadTokens may be above 0.
func (f *Flight) NeedsAdapter() bool { return f.adapter != 0 }

// LoadTokens is what it takes to load the request's adapter at endpoint i, in prompt tokens that could be computed meanwhile;
// 0 if it is loaded, or the request has none. If another one must go for it that was used lately, that one's return counts, too:
// the likelier, the later it was used.
func (p *Pool) LoadTokens(f *Flight, i int, now int64) float64 {
	s := &p.ends[i].slots
	if f.adapter == 0 || s.most == 0 || s.holds(f.adapter) {
		return 0
	}
	seconds := float64(p.adapterLoad) / 1e9
	if len(s.list) >= s.most {
		seconds *= 1 + recent.Since(s.list[s.most-1].at, now, recent.Span)
	}
	return seconds / p.PerToken(i)
}

// NewAdapter says whether the request needs an adapter that no endpoint is believed to hold, and which; not where no endpoint says
// what it holds.
func (p *Pool) NewAdapter(f *Flight) (key uint32, is bool) {
	if f.adapter == 0 {
		return 0, false
	}
	for i := range p.ends {
		if s := &p.ends[i].slots; p.Serving(i) {
			if s.holds(f.adapter) {
				return 0, false
			}
			is = is || s.most > 0
		}
	}
	return f.adapter, is
}
