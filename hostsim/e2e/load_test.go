//go:build e2e

package e2e

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// launchReplicas starts the Envoy of an example in front of replicas that compute nothing; plain: without the module.
func launchReplicas(t testing.TB, example string, n int, plain bool, change func(*gateway.Options)) (*stack, []*replica) {
	t.Helper()
	opt := options(example, &fleet.Fleet{}, map[string]any{"scrape": map[string]any{"cluster": "vllm"}})
	var list []*replica
	for range n {
		r := newReplica(t)
		list, opt.Replicas = append(list, r), append(opt.Replicas, r.address)
	}
	opt.Concurrency = 2
	if change != nil {
		change(&opt)
	}
	if edit := opt.Edit; plain {
		opt.Edit = func(doc any) {
			if edit != nil {
				edit(doc)
			}
			for _, at := range gateway.Find(doc, "http_filters") {
				list := at["http_filters"].([]any)
				at["http_filters"] = list[len(list)-1:] // the router
			}
		}
	}
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return &stack{Gateway: g}, list
}

// load is requests from a number of clients, each of which sends the next when it has its answer.
type load struct {
	url     string
	stop    context.CancelFunc
	clients sync.WaitGroup
	pause   time.Duration // of each client, between its requests
	fresh   bool          // prompts are new ones each time
	single  bool          // each has a connection of its own
	forget  bool          // requests that were answered are counted only

	lock  sync.Mutex
	tries []try
	good  int // forgotten
}

// try is one request; why is "" where it was answered as it should be.
type try struct {
	begun time.Time
	took  time.Duration
	why   string
}

// start begins the load.
func (s *stack) start(t testing.TB, clients int, pause time.Duration, options ...func(*load)) *load {
	ctx, stop := context.WithCancel(t.Context())
	l := &load{url: s.URL + "/v1/chat/completions", stop: stop, pause: pause}
	for _, option := range options {
		option(l)
	}
	for c := range clients {
		l.clients.Go(func() {
			client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: l.single}}
			defer client.CloseIdleConnections()
			for n := 0; ctx.Err() == nil; n++ {
				l.one(client, c, n)
				time.Sleep(l.pause)
			}
		})
	}
	t.Cleanup(func() { l.end() })
	return l
}

func (l *load) one(client *http.Client, c, n int) {
	about := c*7 + n%5
	if l.fresh {
		about = n*100 + c
	}
	body := chat(story(about), fmt.Sprint("Question ", n), map[string]any{"stream": (c+n)%2 == 0})
	it := try{begun: time.Now()}
	response, err := client.Post(l.url, "application/json", strings.NewReader(body))
	switch {
	case err != nil:
		it.why = "no answer"
	case response.StatusCode != 200:
		it.why = response.Status
	}
	if response != nil {
		text, err := io.ReadAll(response.Body)
		if response.Body.Close(); it.why == "" && (err != nil || !strings.Contains(string(text), "usage")) {
			it.why = "broken off"
		}
	}
	it.took = time.Since(it.begun)
	l.lock.Lock()
	if l.forget && it.why == "" {
		l.good++
	} else {
		l.tries = append(l.tries, it)
	}
	l.lock.Unlock()
}

// end ends the load and waits for its last answers.
func (l *load) end() { l.stop(); l.clients.Wait() }

// lost is what was not answered as it should be, by reason, and how many were sent.
func (l *load) lost() (lost, sent int, why map[string]int) {
	l.lock.Lock()
	defer l.lock.Unlock()
	why = map[string]int{}
	for _, it := range l.tries {
		if it.why != "" {
			lost++
			why[it.why]++
		}
	}
	return lost, len(l.tries) + l.good, why
}

// took is a percentile of the times of the requests that began between two times.
func (l *load) took(p float64, from, to time.Time) time.Duration {
	l.lock.Lock()
	defer l.lock.Unlock()
	var list []time.Duration
	for _, it := range l.tries {
		if !it.begun.Before(from) && it.begun.Before(to) {
			list = append(list, it.took)
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(int(p*float64(len(list))), len(list)-1)]
}

// noTrap fails the test if the module has trapped.
func (s *stack) noTrap(t testing.TB) {
	t.Helper()
	if log := s.Log(); strings.Contains(log, "RuntimeError") || strings.Contains(log, "panic") {
		t.Errorf("the module has trapped:\n%s", log)
	}
}
