package models

import (
	"warmroute/plugin/exposition"
	"warmroute/plugin/recent"
)

// LoRA adapters. A replica holds a few at a time and loads another one when a request needs it, in the place of the one that
// was used least recently. Which it holds is believed from its metrics (vllm:lora_requests_info says which ran and waited, and
// when), and from what this worker has sent there since.

const (
	// mostAdapters bounds the adapters that a pool knows of.
	mostAdapters = 4096

	// renewAdaptersEvery is how often they may be gathered anew, in nanoseconds.
	renewAdaptersEvery = 10e9

	// shownBy is when an adapter is to have appeared in an endpoint's metrics after a request was sent there, in nanoseconds:
	// until then it counts as used later than those that they show.
	shownBy = 3e9
)

// Adapters is the models that are known to be adapters, by what metrics and lists have named. The zero value knows none.
type Adapters struct {
	known   map[uint32]bool // by key
	renewed int64           // ns
}

// Note notes that the model of that key is an adapter.
func (a *Adapters) Note(key uint32) {
	if len(a.known) >= mostAdapters {
		return
	}
	if a.known == nil {
		a.known = map[uint32]bool{}
	}
	a.known[key] = true
}

// NoteAll notes those of a list.
func (a *Adapters) NoteAll(list []Model) {
	for _, m := range list {
		if m.IsAdapter() {
			a.Note(m.Key())
		}
	}
}

// Key is the key of a request's adapter, by the name that it has for it, or else of its model; 0 if it has none: a model that was named
// nowhere as an adapter is none.
func (a *Adapters) Key(adapter, model []byte) uint32 {
	if len(a.known) == 0 {
		return 0
	}
	if len(adapter) == 0 {
		adapter = model
	}
	if key := exposition.Adapter(adapter); a.known[key] {
		return key
	}
	return 0
}

// Renew forgets all, where there is no room for more, to make room by noting those again that endpoints still hold or list: they come and
// go, and one endpoint's pages must not use up what there is for all. It says whether they are to be noted again.
func (a *Adapters) Renew(now int64) bool {
	if len(a.known) < mostAdapters || now-a.renewed < renewAdaptersEvery && now >= a.renewed {
		return false
	}
	*a = Adapters{map[uint32]bool{}, now}
	return true
}

// Slots is what is known of one endpoint's adapters. The zero value knows nothing.
type Slots struct {
	Most int // that it holds; 0: not known

	list []adapterUse // the last used first, at most exposition.MaxAdapters
}

type adapterUse struct {
	key uint32
	at  int64 // ns: when it was sent there, or appeared in the metrics
}

// place is the adapter's place in the list; −1 if it is not there.
func (s *Slots) place(key uint32) int {
	for i := range s.list {
		if s.list[i].key == key {
			return i
		}
	}
	return -1
}

// Holds says whether the endpoint is believed to hold an adapter.
func (s *Slots) Holds(key uint32) bool {
	at := s.place(key)
	return at >= 0 && at < s.Most
}

// Use records that a request for the adapter goes to the endpoint; 0: it has none.
func (s *Slots) Use(key uint32, now int64) {
	if key == 0 || s.Most == 0 {
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

// Apply takes what a page of the endpoint's metrics says, and notes its adapters. What was sent there just now may not be on it yet.
func (s *Slots) Apply(now int64, l *exposition.Load, known *Adapters) {
	s.Most = l.AdapterSlots
	next := make([]adapterUse, 0, exposition.MaxAdapters)
	for _, u := range s.list {
		if u.at <= now && now-u.at < shownBy { // else it was sent before the clock was set back
			next = append(next, u)
		}
	}
	merged := Slots{list: next}
	for _, key := range l.Adapters {
		if key == 0 || len(merged.list) == exposition.MaxAdapters {
			break
		}
		known.Note(key)
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

// Clear forgets what the endpoint holds: it has restarted.
func (s *Slots) Clear() { s.list = nil }

// NoteAdapters notes those that it holds, or held lately.
func (s *Slots) NoteAdapters(in *Adapters) {
	for _, u := range s.list {
		in.Note(u.key)
	}
}

// Loads is how many adapters must be loaded for a request's to be there: 0 if it is, or has none, else 1; and where another one must go for
// it that was used lately, up to 2, because that one's return counts, too: the likelier, the later it was used.
func (s *Slots) Loads(key uint32, now int64) float64 {
	if key == 0 || s.Most == 0 || s.Holds(key) {
		return 0
	}
	if len(s.list) >= s.Most {
		return 1 + recent.Since(s.list[s.Most-1].at, now, recent.Span)
	}
	return 1
}
