//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// Three gateways that share news, under load, while one is restarted, the filters of all are changed and news are cut off now and
// then: no request is lost, hits stay, memory and files stay, and nothing is in flight at rest. WARMROUTE_SOAK is how long, "15m" for
// instance; some seconds unless given.
func TestGatewaysSoak(t *testing.T) {
	length, long := 3*time.Second, false // in seconds, hits and memory say nothing
	if d, err := time.ParseDuration(os.Getenv("WARMROUTE_SOAK")); err == nil {
		length, long = d, true
	}
	files := make([]*filterFile, 3)
	for i := range files {
		files[i] = &filterFile{file: filepath.Join(t.TempDir(), fmt.Sprint("filter", i, ".json"))}
	}
	m := &mesh{t: t, workers: 2, fleet: pool(t), change: func(i int, doc any) {
		for _, listener := range gateway.Find(doc, "filter_chains") {
			if listener["name"] == "llm" {
				files[i].serve(listener)
				files[i].write(t, false)
			}
		}
		for _, at := range gateway.Find(doc, "access_log") { // it would fill the disk
			delete(at, "access_log")
		}
	}}
	m.launch(len(files))
	var rounds []float64 // token hit ratios
	var under sync.WaitGroup
	end := time.Now().Add(length)
	under.Go(func() {
		for seed := uint64(1); len(rounds) < 4 || time.Now().Before(end); seed++ {
			r := m.load(seed, 100)
			if r.Errors > 0 {
				t.Errorf("round %d: %d errors: %v", seed, r.Errors, r.ErrorsByStatus)
			}
			rounds = append(rounds, r.TokenHitRatio)
		}
	})
	var quarter [2]holding
	began, reloads, restarts := time.Now(), 0, 0
	for n := 1; n <= 4 || time.Now().Before(end); n++ {
		time.Sleep(time.Second)
		for i, f := range files {
			if n%4 == i {
				f.write(t, false)
				reloads++
			}
		}
		m.relays[n%3].cut.Store(n%5 == 0) // for a second or less
		m.relays[(n+2)%3].cut.Store(false)
		if n%20 == 4 { // the last: nothing is lost, as its requests end first
			m.out(2, true)
			eventually(t, "its last requests have ended", func() bool {
				return m.stacks[2].balanced.Load() == 0 && m.stacks[2].stat(t, "warmroute_in_flight") == 0
			})
			m.stacks[2].noTrap(t)
			m.stacks[2].Close()
			m.start(2)
			m.out(2, false)
			restarts++
		}
		for i := range quarter {
			if u := holdingOf(t, m.stacks[i].Pid()); quarter[i] == (holding{}) && time.Since(began) > length/4 {
				quarter[i] = u
			} else if n%30 == 0 {
				t.Logf("%d s: gateway %d: %v", n, i, u)
			}
		}
	}
	under.Wait()
	for _, r := range m.relays {
		r.cut.Store(false)
	}
	half := len(rounds) / 2
	first, second := mean(rounds[:half]), mean(rounds[half:])
	t.Logf("%d rounds of 100 requests, %d changes of a filter, %d restarts: token hit ratio %.3f, then %.3f", len(rounds), reloads, restarts, first, second)
	if long && second < first-0.2 {
		t.Errorf("the token hit ratio fell from %.3f to %.3f", first, second)
	}
	for i, s := range m.stacks {
		eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
		eventually(t, "all know each other at rest", func() bool {
			return s.stat(t, "warmroute_peers{")+s.stat(t, "warmroute_peers ") == float64(len(files)-1)
		})
		s.noTrap(t)
		if i == len(quarter) {
			continue
		}
		at, was := holdingOf(t, s.Pid()), quarter[i]
		t.Logf("gateway %d: %v after a quarter of the time, %v at the end", i, was, at)
		if long && at.memory > was.memory+64<<20 {
			t.Errorf("gateway %d takes %d MB more", i, (at.memory-was.memory)>>20)
		}
		if at.files > was.files+100 {
			t.Errorf("gateway %d has %d more files open", i, at.files-was.files)
		}
	}
}

func mean(list []float64) float64 {
	sum := 0.0
	for _, v := range list {
		sum += v / float64(len(list))
	}
	return sum
}

// holding is what a process has.
type holding struct{ memory, files int }

func (u holding) String() string { return fmt.Sprintf("%d MB, %d files", u.memory>>20, u.files) }

func holdingOf(t testing.TB, pid int) holding {
	t.Helper()
	open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	memory, _ := taken(t, pid)
	return holding{memory, len(open)}
}
