//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"
)

// A fault befalls the first of three replicas, or all of them, and ends again. mayLose says that requests that are under way
// there are lost, with the module or without: their answer has begun, or is an error that Envoy does not try again.
type fault struct {
	name       string
	begin, end func(t testing.TB, list []*replica)
	mayLose    bool
	stays      bool // requests may go on to go there
}

func faults() []fault {
	misbehaves := func(c conduct) (begin, end func(testing.TB, []*replica)) {
		return func(_ testing.TB, list []*replica) { list[0].set(c) }, func(_ testing.TB, list []*replica) { list[0].set(answers) }
	}
	pages := func(p page) (begin, end func(testing.TB, []*replica)) {
		all := func(p page) func(testing.TB, []*replica) {
			return func(_ testing.TB, list []*replica) {
				for _, r := range list {
					r.page.Store(int32(p))
				}
			}
		}
		return all(p), all(usual)
	}
	list := []fault{{name: "killed", begin: func(_ testing.TB, list []*replica) { list[0].kill() }, end: func(t testing.TB, list []*replica) { list[0].revive(t) }, mayLose: true}}
	for _, c := range []struct {
		name string
		conduct
		lose, stays bool
	}{
		{"resets each request", resets, false, false}, {"hangs, then is restarted", hangs, false, false},
		{"resets in the middle of each answer", breaks, true, false}, {"answers 500 at once", fails, true, false}, {"takes two seconds", slows, false, true},
	} {
		begin, end := misbehaves(c.conduct)
		list = append(list, fault{c.name, begin, end, c.lose, c.stays})
	}
	stop := make(chan struct{})
	list = append(list, fault{"flaps ten times a second", func(_ testing.TB, list []*replica) {
		stop = make(chan struct{})
		go func(stop chan struct{}) {
			for n := 0; ; n++ {
				select {
				case <-stop:
					list[0].set(answers)
					return
				case <-time.After(50 * time.Millisecond):
					list[0].set([]conduct{resets, answers}[n%2])
				}
			}
		}(stop)
	}, func(testing.TB, []*replica) { close(stop) }, false, true})
	for _, c := range []struct {
		name string
		page
	}{
		{"no page of metrics", gone}, {"pages of 40 MB", huge}, {"pages that break off", truncated}, {"pages that lie", lying}, {"pages that never come", hanging},
	} {
		begin, end := pages(c.page)
		list = append(list, fault{c.name, begin, end, false, true})
	}
	return list
}

// hostCounts is how many requests Envoy has sent to a host, or tried to.
func (s *stack) hostCounts(t testing.TB) map[string]int {
	text, err := s.Get("/clusters?format=json")
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Clusters []struct {
			Name  string `json:"name"`
			Hosts []struct {
				Address struct {
					Socket struct {
						Address string `json:"address"`
						Port    int    `json:"port_value"`
					} `json:"socket_address"`
				} `json:"address"`
				Stats []struct {
					Name  string `json:"name"`
					Value string `json:"value"`
				} `json:"stats"`
			} `json:"host_statuses"`
		} `json:"cluster_statuses"`
	}
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, cluster := range page.Clusters {
		for _, h := range cluster.Hosts {
			for _, stat := range h.Stats {
				if n := 0; cluster.Name == "vllm" && (stat.Name == "rq_total" || stat.Name == "cx_connect_fail") {
					fmt.Sscan(stat.Value, &n)
					counts[fmt.Sprintf("%s:%d", h.Address.Socket.Address, h.Address.Socket.Port)] += n
				}
			}
		}
	}
	return counts
}

// share is a replica's part of the requests in a span of time, relative to the mean of the other two; −1: they had none.
type share struct {
	at    time.Time // its end
	value float64
}

// watch notes the first replica's share four times a second, until stop is called.
func (s *stack) watch(t testing.TB, list []*replica) (stop func() []share) {
	var shares []share
	var watcher sync.WaitGroup
	done := make(chan struct{})
	watcher.Go(func() {
		before := s.hostCounts(t)
		for {
			select {
			case <-done:
				return
			case <-time.After(250 * time.Millisecond):
			}
			now := s.hostCounts(t)
			delta := func(i int) float64 { return float64(now[list[i].address] - before[list[i].address]) }
			it := share{time.Now(), -1}
			if others := (delta(1) + delta(2)) / 2; others > 2 {
				it.value = delta(0) / others
			}
			shares, before = append(shares, it), now
		}
	})
	return func() []share { close(done); watcher.Wait(); return shares }
}

// leftAndReturned is when a replica was left after begin, and used again after end. "" is never.
func leftAndReturned(shares []share, begin, end time.Time) (left, returned string) {
	last := begin
	for _, it := range shares {
		switch {
		case it.at.After(begin) && it.at.Before(end):
			if it.value > .2 || it.value < 0 {
				last = it.at
			}
		case it.at.After(end) && it.value > .5 && returned == "":
			returned = fmt.Sprintf("%.1f s", it.at.Sub(end).Seconds())
		}
	}
	if end.Sub(last) > 600*time.Millisecond {
		left = fmt.Sprintf("%.1f s", last.Sub(begin).Seconds())
	}
	return left, returned
}

// outcome is what a fault did.
type outcome struct {
	sent, lost     int
	why            map[string]int
	left, returned string
}

// befall plays a fault under load.
func (f *fault) befall(t testing.TB, s *stack, list []*replica, ill, well time.Duration) (o outcome) {
	stop := s.watch(t, list)
	l := s.start(t, 12, 5*time.Millisecond)
	time.Sleep(well / 2)
	begin := time.Now()
	f.begin(t, list)
	time.Sleep(ill)
	end := time.Now()
	f.end(t, list)
	time.Sleep(well)
	l.end()
	o.lost, o.sent, o.why = l.lost()
	if o.left, o.returned = leftAndReturned(stop(), begin, end); f.stays {
		o.left, o.returned = "–", "–"
	} else if o.left == "" {
		o.left = "never"
	}
	return o
}

// Whatever becomes of a replica or of its pages, no request is lost that plain Envoy would not lose. With WARMROUTE_LONG each fault
// is played with and without the module, for longer, and the table of docs/faults.md is printed.
func TestFaults(t *testing.T) {
	t.Parallel()
	long, kinds, ill, well := os.Getenv("WARMROUTE_LONG") != "", []bool{false}, 700*time.Millisecond, 300*time.Millisecond
	if long {
		kinds, ill, well = []bool{true, false}, 5*time.Second, 6*time.Second
		fmt.Println("| fault | requests: plain Envoy | lost | with the module | lost | left after | used again after |\n|---|---|---|---|---|---|---|")
	}
	envoys := map[bool]*stack{}
	replicas := map[bool][]*replica{}
	for _, plain := range kinds {
		envoys[plain], replicas[plain] = launchReplicas(t, "endpoint", 3, plain, nil)
	}
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			row, lostOf := "| "+f.name+" |", map[bool]int{}
			for _, plain := range kinds {
				o := f.befall(t, envoys[plain], replicas[plain], ill, well)
				lostOf[plain] = o.lost
				row += fmt.Sprintf(" %d | %d |", o.sent, o.lost)
				if !plain {
					row += fmt.Sprintf(" %s | %s |", o.left, o.returned)
				}
				if !long && o.lost > 0 && !f.mayLose || long && !plain && o.lost > 2*lostOf[true]+24 {
					t.Errorf("plain %v: %d of %d requests were lost: %v", plain, o.lost, o.sent, o.why)
				}
			}
			if long {
				fmt.Println(row)
			}
		})
	}
	s := envoys[false]
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
	s.noTrap(t)
}
