package pool

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/exposition"
	"warmroute/plugin/health"
	"warmroute/plugin/queue"
)

// Summaries say what the pool's methods say, whatever is reported and however time passes.
func TestSummaries(t *testing.T) {
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 1))
		p, now := newPool(6), int64(1e12)
		var open []*Flight
		for step := range 1500 {
			switch random.IntN(12) {
			case 0:
				now += random.Int64N(2e10)
			case 1:
				if step%50 == 0 {
					now -= random.Int64N(2e10) // the clock is set back
				}
			default:
				now += random.Int64N(2e8)
			}
			what := report(p, random, &open, now)
			for i := range p.Look(now) {
				if got, want := sum(p, i), direct(p, i, now); !alike(got, want) {
					t.Fatalf("seed %d, step %d, after %s: endpoint %d is\n%v, want\n%v", seed, step, what, i, got, want)
				}
			}
		}
	}
}

// report reports something to the pool, and says what.
func report(p *Pool, random *rand.Rand, open *[]*Flight, now int64) string {
	i := random.IntN(len(p.ends))
	flight := func() *Flight {
		if len(*open) == 0 {
			*open = append(*open, send(p, i, textOf(400), now))
		}
		return (*open)[random.IntN(len(*open))]
	}
	switch k := random.IntN(20); k {
	default: // most often
		of := textOf(400 + 4*random.IntN(4000))
		of.Stream, of.Truncated = random.IntN(2) == 0, random.IntN(4) == 0
		*open = append(*open, send(p, i, of, now))
		return "a request"
	case 0, 1:
		p.FirstToken(flight(), now)
		return "a first token"
	case 2, 3, 4, 5, 6, 7:
		f := flight()
		how := []health.Ending{health.Answered, health.Answered, health.Answered, health.Cancelled, health.Failed, health.Refused, health.TimedOut, health.Broken}[random.IntN(8)]
		p.End(f, now, Outcome{Ending: how, Client: random.Uint64(), Lost: how > health.Cancelled, Usage: random.IntN(3) > 0,
			PromptTokens: 100 + random.IntN(900), CachedTokens: random.IntN(100), TTFT: random.Int64N(1e9)})
		return fmt.Sprint("an end ", how)
	case 8:
		if random.IntN(2) == 0 {
			p.Moved(flight(), i, now)
		} else {
			p.Served(flight(), []int{0, 1, 2}, i, true, 0, now)
		}
		return "a move"
	case 9:
		whole := textOf(20000)
		whole.Stream = random.IntN(2) == 0
		p.Extend(flight(), whole, now)
		return "an extension"
	case 10:
		p.SetWorkerRequests(float64(random.IntN(9)), now)
		p.SetWorkers(i, random.IntN(3), float64(random.IntN(2)*5000), randomLine(random, now))
		return "peers"
	case 11:
		p.SetGatewayLoad(i, float64(random.IntN(2)), 6000, randomLine(random, now))
		p.SetGatewayPlace(0, random.IntN(4))
		p.SetGatewayRequests(float64(random.IntN(99)), now-random.Int64N(1e9))
		p.LearnLikewise(now)
		if random.IntN(3) == 0 {
			p.ClearGateways()
		}
		return "gateways"
	case 12:
		p.ApplyMetrics(i, now, &exposition.Load{Has: exposition.HasRunning | exposition.HasWaiting | exposition.HasKVTokens | exposition.HasKVUsage,
			Running: float64(random.IntN(9)), Waiting: float64(random.IntN(4)), KVTokens: 1e5, KVUsage: random.Float64()})
		return "metrics"
	case 13:
		p.SetState(i, random.IntN(4) == 0, random.IntN(4) == 0, now)
		return "a state"
	case 14:
		if p.Size() > 2 && random.IntN(3) == 0 {
			p.Remove(i)
			return "a removal"
		}
		p.Place(i, config.Endpoint{Address: fmt.Sprintf("10.0.%d.%d:80", random.IntN(2), i), Weight: 1 + random.IntN(3)}, now)
		return "a placing"
	case 15:
		p.Tick(now)
		return "a tick"
	case 16:
		p.speeds.First(i, answered(1000, 0.1*float64(1+i)))
		return "a speed"
	case 17:
		other := newPool(len(p.ends))
		other.CopyMembers(p, now)
		other.judge(i, now, health.Refused, health.Blame{})
		other.speeds.First(i, answered(1000, 1))
		p.CopyLearned(other, now)
		return "another pool's knowledge"
	}
}

func randomLine(random *rand.Rand, now int64) queue.Line {
	return queue.Line{Waiting: random.IntN(3), Queued: float64(random.IntN(2) * 1000), Begun: now - random.Int64N(1e9), Ended: now - random.Int64N(1e9)}
}

// fields of a summary, or the same by the pool's methods.
type fields [18]float64

func sum(p *Pool, i int) fields {
	s := &p.summaries.list[i]
	requests, work, line := p.Own(i)
	if sent := s.Sent(p.Faded()); sent != requests {
		requests = math.NaN()
	}
	return fields{s.Requests, s.Counted, s.Waiting, s.Queue, s.Late, s.Used, s.Room, p.Usual() * s.Slower, s.Weight, s.Wanted, s.Others, s.Unadmitted, s.Reads, s.Unknown, requests, s.Given(p.Faded()), line.Queued, work}
}

func direct(p *Pool, i int, now int64) fields {
	e := &p.ends[i]
	used, room := p.UsedTokens(i, now)
	reads, unknown := p.Reads(i, now)
	requests, work, line := p.OwnLoad(i, now)
	return fields{p.Requests(i, now), p.Counted(i), p.Waiting(i, now), p.Queue(i, now), p.Late(i, now), used, room, p.PerToken(i), float64(p.Weight(i)), e.memory.found + e.queue.Streams.Queued, max(p.Unadmitted(i, now)-float64(e.queue.Streams.Waiting), 0), p.Unadmitted(i, now), reads, unknown,
		requests, work + e.workers.work + e.gateways.work, line.Queued, work}
}

// alike allows for rounding in what fades, the last four.
func alike(a, b fields) bool {
	for i := range a {
		if d := math.Abs(a[i] - b[i]); d > 1e-9*math.Abs(b[i]) || i < 13 && a[i] != b[i] || math.IsNaN(a[i]) {
			return false
		}
	}
	return true
}

// A class, and whether an endpoint fails, are those of the pool's methods, too.
func TestSummaryClasses(t *testing.T) {
	p := newPool(4)
	p.SetState(1, false, true, second)
	p.SetState(2, true, false, second)
	p.Remove(3)
	p.judge(0, second, health.Refused, health.Blame{})
	all := p.Look(second)
	for i, want := range []Class{Well, Draining, Down, Absent} {
		if all[i].Class != want || all[i].Fails != (i == 0) {
			t.Errorf("endpoint %d: class %d, fails %v", i, all[i].Class, all[i].Fails)
		}
	}
	p.judge(0, second, health.Refused, health.Blame{})
	if got := p.Look(second)[0].Class; got != Down {
		t.Errorf("refused twice: class %d, want down", got)
	}
	p.SetState(2, false, false, second)
	if got := p.Look(second)[2].Class; got != Well {
		t.Errorf("again in the list: class %d, want well", got)
	}
}
