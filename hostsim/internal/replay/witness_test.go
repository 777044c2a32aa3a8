package replay

import (
	"fmt"
	"hash/maphash"
	"strings"
	"testing"

	"warmroute/hostsim/internal/host"
	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
)

// witness notes all that an engine shows: what it decides, what it tells other gateways, and what its workers tell each other in shared
// data: counts, what they have routed, the speeds and habits that they have learned.
type witness struct {
	router.Engine
	*testimony
	name string
	read func() (keys []string, value func(key string) []byte)
	seen map[string]uint64
	now  int64
}

// testimony is what the gateways of a run have shown, in order.
type testimony struct{ lines []string }

var testimonySeed = maphash.MakeSeed()

// notTold are the keys of the module alone: which configuration is the newest, and the secret that a simulation sets to 0.
var notTold = []string{"warmroute.1.configuration.", "warmroute.12.secret"}

func (w *witness) say(format string, args ...any) {
	w.lines = append(w.lines, fmt.Sprintf("%s at %d: ", w.name, w.now)+fmt.Sprintf(format, args...))
}

// lookEvery is the time between two looks at all shared data, in ns: there is a lot of it.
const lookEvery = 200e6

// look notes what has changed in shared data since the last look.
func (w *witness) look() {
	keys, value := w.read()
	for _, key := range keys {
		if strings.HasPrefix(key, notTold[0]) || key == notTold[1] {
			continue
		}
		v := value(key)
		if sum := maphash.Bytes(testimonySeed, v); w.seen[key] != sum {
			w.seen[key] = sum
			w.say("%s = %x, %x", key, v[:min(len(v), 400)], sum)
		}
	}
}

func (w *witness) Begin(worker int, r *router.Request) (router.Ticket, error) {
	t, err := w.Engine.Begin(worker, r)
	if err != nil {
		return t, err
	}
	if router.Held(t) {
		w.say("worker %d holds", worker)
	} else {
		w.say("worker %d: %s", worker, t.Decision())
	}
	return witnessed{t, w}, nil
}

func (w *witness) Advance(now int64) {
	w.Engine.Advance(now)
	looks := now/lookEvery > w.now/lookEvery
	if w.now = now; looks {
		w.look()
	}
}

func (w *witness) StartAt(now int64) { w.Engine.(router.Starter).StartAt(now) }

func (w *witness) Freed() (freed []router.Ticket) {
	for _, t := range w.Engine.(router.Holder).Freed() {
		w.say("freed: %s", t.Decision())
		freed = append(freed, witnessed{t, w}) // the same as Begin's: a run knows it by that
	}
	return freed
}

func (w *witness) Answers(pages router.Pages) { w.Engine.(router.Scraped).Answers(pages) }

func (w *witness) Connect(send func(to, ask string, done func(int, []byte))) {
	w.Engine.(router.Peered).Connect(func(to, ask string, done func(int, []byte)) {
		w.say("asks %s %s", to, ask)
		send(to, ask, func(status int, page []byte) {
			w.say("gets %d from %s", status, to)
			done(status, page)
		})
	})
}

func (w *witness) Serve(worker int, ask string, answer func(int, []byte)) {
	w.Engine.(router.Peered).Serve(worker, ask, func(status int, page []byte) {
		w.say("answers %d %x", status, page)
		answer(status, page)
	})
}

// witnessed is a ticket of an engine that is looked at.
type witnessed struct {
	router.Ticket
	w *witness
}

func (t witnessed) Held() bool { return router.Held(t.Ticket) }

func (t witnessed) Rank() string {
	if r, may := t.Ticket.(router.Ranked); may {
		return r.Rank()
	}
	return ""
}

func (t witnessed) Chunk(part []byte, ends bool) {
	t.Ticket.Chunk(part, ends)
	if ends {
		t.w.say("ended: %s", t.Decision())
	}
}

// witnessRun is what a run's gateways show, and its result; loaded nil: natively.
func witnessRun(t *testing.T, loaded *host.Module, o Options) (*Result, []string) {
	t.Helper()
	said, gateways := &testimony{}, 0
	o.Detail = true
	o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
		w := &witness{testimony: said, name: fmt.Sprintf("gateway %d", gateways), seen: map[string]uint64{}}
		gateways++
		if loaded == nil {
			native, err := ours.NewNative(configuration, workers)
			w.Engine = native
			w.read = func() ([]string, func(string) []byte) {
				return native.Store().Keys(), func(key string) []byte { v, _, _ := native.Store().Get(key); return v }
			}
			return w, err
		}
		wasm, err := ours.StartWasm(t.Context(), loaded, configuration, workers, nil)
		w.Engine = wasm
		w.read = func() ([]string, func(string) []byte) {
			return wasm.Proxy().SharedKeys(), func(key string) []byte { v, _ := wasm.Proxy().SharedData(key); return v }
		}
		return w, err
	}
	return result(t, o), said.lines
}
