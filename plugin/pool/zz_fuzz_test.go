package pool

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/models"
	"warmroute/plugin/prompt"
)

func TestZZFuzz(t *testing.T) {
	seeds, _ := strconv.Atoi(os.Getenv("ZZ"))
	for seed := range uint64(max(seeds, 1)) {
		zzRun(t, seed)
		if t.Failed() {
			return
		}
	}
}

func zzRun(t *testing.T, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 7))
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"]}`))
	if err != nil {
		t.Fatal(err)
	}
	p := New(&cfg, 1<<20)
	now := int64(100e9)
	type fl struct {
		f    *Flight
		text []byte
		s    bool
	}
	var open []*fl
	gen := 0
	check := func(what string) {
		own := make([]int, 4)
		waiting := make([]int, 4)
		for _, o := range open {
			own[o.f.endpoint]++
			if o.f.phase == waitingPhase && o.f.streams && !o.f.suspended && p.same(o.f) {
				waiting[o.f.endpoint]++
			}
		}
		for i := range p.ends {
			e := &p.ends[i]
			bad := ""
			if e.own != own[i] {
				bad = fmt.Sprintf("own %d want %d", e.own, own[i])
			}
			if e.queue.Streams.Waiting != waiting[i] {
				bad += fmt.Sprintf(" waiting %d want %d", e.queue.Streams.Waiting, waiting[i])
			}
			for k, v := range map[string]float64{"queued": e.queue.Streams.Queued, "reads": e.reads, "found": e.memory.found, "held": e.memory.held, "work": e.work, "recent": e.recent, "q": p.Queue(i, now), "whole": p.drained(i, now)} {
				if math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
					bad += fmt.Sprintf(" %s %v", k, v)
				}
				if own[i] == 0 && k != "work" && k != "recent" && k != "q" && v > 1e-3 {
					bad += fmt.Sprintf(" idle: %s %v", k, v)
				}
			}
			if bad != "" {
				t.Fatalf("seed %d after %s: endpoint %d: %s", seed, what, i, bad)
			}
		}
	}
	mk := func() []byte {
		b := []byte(fmt.Sprintf("conv %d ", r.IntN(6)))
		for n := r.IntN(40) * 100; len(b) < n; {
			b = append(b, byte('a'+len(b)%7))
		}
		return b
	}
	for step := range 3000 {
		now += int64(r.ExpFloat64() * 2e8)
		if r.IntN(500) == 0 {
			now -= int64(r.IntN(20)) * 1e9
		}
		what := ""
		switch k := r.IntN(14); {
		case k < 4:
			o := &fl{f: new(Flight), text: mk(), s: r.IntN(3) > 0}
			part := o.text
			trunc := r.IntN(3) == 0
			if trunc {
				part = part[:len(part)/2+1]
			}
			of := &prompt.Prompt{Model: []byte("m"), Text: part, Stream: o.s, Truncated: trunc, BodyBytes: len(part)}
			p.Prepare(o.f, of, nil, len(o.text))
			p.Look(now)
			p.Match(o.f)
			i := r.IntN(4)
			if !p.Present(i) {
				break
			}
			p.Demand(o.f, now)
			p.Expect(o.f, i)
			p.Begin(o.f, i, now)
			o.f.Entered()
			open = append(open, o)
			what = fmt.Sprint("begin ", i, o.s, trunc)
		case len(open) > 0 && k < 12:
			n := r.IntN(len(open))
			o := open[n]
			switch j := r.IntN(9); j {
			case 0:
				if r.IntN(3) == 0 {
					o.s = !o.s
				}
				p.Extend(o.f, &prompt.Prompt{Model: []byte("m"), Text: o.text, Stream: o.s}, now)
				what = "extend"
			case 1:
				p.Suspend(o.f, now)
				what = "suspend"
			case 2:
				p.Resume(o.f, now)
				what = "resume"
			case 3, 4:
				p.FirstToken(o.f, now)
				what = "first"
			case 5:
				i := r.IntN(4)
				if p.Present(i) {
					if r.IntN(2) == 0 {
						p.Served(o.f, []int{o.f.endpoint, i}, i, true, 1, now)
					} else {
						p.Moved(o.f, i, now)
					}
				}
				what = "moved"
			default:
				how := []health.Ending{health.Answered, health.Answered, health.Cancelled, health.Refused, health.Failed, health.Broken}[r.IntN(6)]
				lost := how != health.Answered && r.IntN(2) == 0
				p.End(o.f, now, Outcome{Ending: how, Lost: lost, HungUp: lost && how == health.Cancelled, Usage: r.IntN(2) == 0, PromptTokens: len(o.text) / 4, CachedTokens: r.IntN(len(o.text)/4 + 1), OutputTokens: r.IntN(100)})
				open[n] = open[len(open)-1]
				open = open[:len(open)-1]
				what = fmt.Sprint("end ", how, lost)
			}
		case k == 12:
			i := r.IntN(4)
			switch r.IntN(6) {
			case 0:
				if p.Size() > 1 {
					p.Remove(i)
				}
				what = "remove"
			case 1:
				gen++
				p.Place(i, config.Endpoint{Address: fmt.Sprintf("10.0.%d.%d:80", r.IntN(2), i), Weight: 1 + r.IntN(3)}, now)
				what = "place"
			case 2:
				l := exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage, Running: float64(r.IntN(5)), Waiting: float64(r.IntN(3)), KVTokens: 5000, KVUsage: r.Float64()}
				if p.Present(i) {
					p.ApplyMetrics(i, now, &l)
				}
				what = "metrics"
			case 3:
				p.SetModels(i, []models.Model{models.Of([]byte("m"), false)})
			}
		default:
			p.Tick(now)
			what = "tick"
		}
		p.Look(now)
		check(fmt.Sprint(step, " ", what))
	}
	for len(open) > 0 {
		p.End(open[0].f, now, Outcome{Ending: health.Cancelled, Lost: true})
		open = open[1:]
	}
	now += 20e9
	p.Look(now)
	check("all")
}

const waitingPhase = waiting
