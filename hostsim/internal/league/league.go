// Package league plays policies on cases, scores the first of them against the others, and shows where it is behind. What a case is, cases
// says; a league replays it once for each policy and seed.
package league

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"warmroute/hostsim/internal/cases"
	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/peers"
	"warmroute/hostsim/internal/replay"
)

// Policies are those that contend by default: the default, our others that win something somewhere, and the peers.
// Peers that win nowhere are left out (docs/league.md): production_stack, higress, ray, kthena.
var Policies = []string{
	contender.Default, "expected_ttft", "prefix_hash", "session_affinity", "join_shortest_queue",
	"peer:kubeai_least_load", "peer:kubeai", "peer:sglang", "peer:sglang_lmetric", "peer:smg", "peer:llmd", "peer:llmd_sticky", "peer:llmd_precise", "peer:dynamo",
	"peer:dynamo_lmetric", "peer:smetric", "peer:load_aware", "peer:aibrix",
}

// League says what to run.
type League struct {
	Cases    []cases.Case
	Policies []string       // the first is held against the others
	Seeds    int            // of each case; twice as many where they differ by half
	Scrape   time.Duration  // how often gateways read the replicas' metrics; peers have their own pace
	Gateways int            // in every case; 0: the case's own
	Sync     replay.Sync    // between gateways
	First    uint64         // the first seed; 0: 1
	Folder   string         // of the published traces
	Plugin   map[string]any // further members of the module's configuration
	Whole    bool           // no answer is streamed
	Untold   bool           // none tells its cached tokens
	Known    []Row          // of an earlier run with the same settings: these are not played again
	Progress func(done, total int, row Row)
}

// SeedsOf is how many of a case's seeds are run.
func (l *League) SeedsOf(c *cases.Case) int {
	if c.Varies {
		return 2 * l.Seeds
	}
	return l.Seeds
}

// drawn is a case's load, drawn once for all policies.
type drawn struct {
	once    sync.Once
	options replay.Options
	err     error
}

// Arm is what contends in a case: a policy behind a number of gateways.
type Arm struct {
	Policy   string
	Gateways int // 0: the case's own
}

// job is replays of one case with one seed, which go on together.
type job struct {
	c      *cases.Case
	load   *drawn
	seed   uint64
	arms   []Arm
	places []int // of their rows
}

// Run replays every case with every policy of l and seed, on as many processors as there are. The rows are in the order of
// cases, policies, seeds. Errors: a trace that cannot be read, a replay that fails, ctx cancelled, with the rows of the cases that are
// whole.
func (l *League) Run(ctx context.Context) ([]Row, error) {
	arms := make([]Arm, len(l.Policies))
	for i, policy := range l.Policies {
		arms[i] = Arm{policy, l.Gateways}
	}
	return l.Play(ctx, arms...)
}

// check says what is wrong with a policy's name, before hours are played.
func check(jobs []job) error {
	checked := map[string]bool{}
	for _, j := range jobs {
		for _, arm := range j.arms {
			if checked[arm.Policy] {
				continue
			}
			if err := contender.Check(arm.Policy); err != nil {
				return err
			}
			checked[arm.Policy] = true
		}
	}
	return nil
}

// Play replays every case with every arm, in place of Policies and Gateways, and every seed. The rows are in the order of cases, arms,
// seeds. Errors: as those of Run.
func (l *League) Play(ctx context.Context, arms ...Arm) ([]Row, error) {
	jobs, replays := l.jobs(arms)
	if err := check(jobs); err != nil {
		return nil, err
	}
	rows := make([]Row, replays)
	queue, done := make(chan job), make(chan int)
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for j := range queue {
				l.play(ctx, &j, func(i int, row Row) {
					rows[j.places[i]] = row
					done <- j.places[i]
				})
			}
		})
	}
	go func() {
		for i := range jobs {
			queue <- jobs[i]
			jobs[i] = job{} // its load is kept no longer than it is played
		}
		close(queue)
		workers.Wait()
		close(done)
	}()
	n := 0
	for place := range done {
		if n++; rows[place].failed == nil {
			l.Progress(n, replays, rows[place])
		}
	}
	if ctx.Err() != nil {
		return l.whole(rows, len(arms)), ctx.Err()
	}
	for i := range rows {
		if rows[i].failed != nil {
			return nil, fmt.Errorf("%s, %s, seed %d: %w", rows[i].Case, rows[i].Policy, rows[i].Seed, rows[i].failed)
		}
	}
	return rows, nil
}

// atOnce is how many seeds are played at a time: each takes the memory of a load and of a fleet for each arm.
const atOnce = 2

// jobs are all replays, in the order in which they are begun. What arms share is made once for each job, so that a seed is dealt out to no
// more jobs than keep all processors busy: the last ones to as many as there are processors, which end together.
func (l *League) jobs(arms []Arm) (jobs []job, replays int) {
	processors, left := runtime.GOMAXPROCS(0), 0
	for i := range l.Cases {
		left += l.SeedsOf(&l.Cases[i])
	}
	for i := range l.Cases {
		c := &l.Cases[i]
		for seed := range l.SeedsOf(c) {
			load, parts := &drawn{}, (processors+atOnce-1)/atOnce
			if left <= atOnce {
				parts = processors
			}
			parts = min(parts, len(arms))
			left--
			for part := range parts {
				j := job{c: c, load: load, seed: max(l.First, 1) + uint64(seed)}
				for k := part; k < len(arms); k += parts {
					j.arms, j.places = append(j.arms, arms[k]), append(j.places, replays+k*l.SeedsOf(c)+seed)
				}
				jobs = append(jobs, j)
			}
		}
		replays += len(arms) * l.SeedsOf(c)
	}
	return jobs, replays
}

// whole leaves only the cases whose rows are all there, in the league too.
func (l *League) whole(rows []Row, arms int) (kept []Row) {
	var cases []cases.Case
	for _, c := range l.Cases {
		n := arms * l.SeedsOf(&c)
		if !slices.ContainsFunc(rows[:n], func(r Row) bool { return r.failed != nil }) {
			cases, kept = append(cases, c), append(kept, rows[:n]...)
		}
		rows = rows[n:]
	}
	l.Cases = cases
	return kept
}

// play replays a case with each arm of a job, and tells each row.
func (l *League) play(ctx context.Context, j *job, ended func(i int, row Row)) {
	rows := make([]Row, len(j.arms))
	var all []replay.Options
	var of []int // all, by arm
	for i, arm := range j.arms {
		rows[i] = Row{Case: j.c.ID, Policy: arm.Policy, Gateways: arm.Gateways, Seed: j.seed}
		if at := slices.IndexFunc(l.Known, rows[i].same); at >= 0 {
			ended(i, l.Known[at])
			continue
		}
		if rows[i].failed = ctx.Err(); rows[i].failed == nil { // before the load is drawn, which takes seconds
			j.load.once.Do(func() { j.load.options, j.load.err = j.c.Options(l.Folder, j.seed) })
			rows[i].failed = j.load.err
		}
		if rows[i].failed != nil {
			ended(i, rows[i])
			continue
		}
		all, of = append(all, l.options(j.load.options, arm)), append(of, i)
	}
	replay.Together(ctx, all, func(k int, r *replay.Result, err error, took time.Duration) {
		row := &rows[of[k]]
		if row.failed = err; err == nil {
			row.take(j.c, r)
			row.Wall = took.Seconds()
		}
		ended(of[k], *row)
	})
}

// options are a load's, for one arm.
func (l *League) options(o replay.Options, arm Arm) replay.Options {
	policy := arm.Policy
	o.Policy, o.Scrape, o.Plugin, o.Sync, o.Whole = policy, l.Scrape, l.Plugin, l.Sync, l.Whole
	o.Untold = o.Untold || l.Untold
	if arm.Gateways > 0 {
		o.Gateways = arm.Gateways
	}
	if o.Gateways == 1 {
		o.Sync = replay.Sync{}
	}
	o.NameSessions = o.NameSessions || policy == "session_affinity"
	if strings.HasPrefix(policy, peers.Prefix) {
		o.Plugin = nil
	}
	return o
}
