package cost

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// talk makes the bodies of one connection: chats that nobody has sent before, or the turns of conversations.
type talk struct {
	random *rand.Rand
	c      Case
	turn   int
	text   []byte // the conversation so far
	body   []byte
}

var words = []string{"pear", "wall", "frost", "river", "mill", "answer", "question", "because", "reads", "south", "then", "what", "of", "the", "a", "is"}

// next is a body, and how many bytes of it the turn before had.
func (t *talk) next() (body []byte, before int) {
	if t.turn = t.turn%max(t.c.Turns, 1) + 1; t.turn == 1 {
		t.text = append(append(t.text[:0], `{"model":"m","max_tokens":2,`...), asks(t.c.Events)...)
		t.text = append(t.text, `"messages":[{"role":"system","content":"You answer questions on gardens. `...)
	} else {
		before = len(t.text)
		t.text = append(t.text, `"},{"role":"assistant","content":"Yes."},{"role":"user","content":"`...)
	}
	for upTo := t.c.Bytes * t.turn / max(t.c.Turns, 1); len(t.text) < upTo-8; {
		t.text = append(append(t.text, words[t.random.IntN(len(words))]...), ' ')
		if t.random.IntN(8) == 0 {
			t.text = strconv.AppendUint(t.text, t.random.Uint64(), 36)
		}
	}
	t.body = append(append(t.body[:0], t.text...), `"}]}`...)
	return t.body, before
}

// asks is what a body asks for where its answer is to be streamed.
func asks(events int) string {
	if events == 0 {
		return ""
	}
	return `"stream":true,"stream_options":{"include_usage":true},`
}

// load is what the connections of one measurement share.
type load struct {
	client *http.Client
	target *target
	c      Case
	span   time.Duration
	seed   uint64
	began  time.Time
	due    atomic.Int64 // of the open loop: requests that were to begin

	mu     sync.Mutex
	took   []float64 // µs, of each request
	failed error
}

// measure sends load to a target for a while.
func measure(ctx context.Context, g *target, c Case, span time.Duration, seed uint64) (Sample, error) {
	l := &load{target: g, c: c, span: span, seed: seed, client: &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		MaxIdleConnsPerHost: max(c.Connections, 64), MaxConnsPerHost: max(c.Connections, 64), DisableCompression: true}}}
	defer l.client.CloseIdleConnections()
	before, err := g.cpu()
	if err != nil {
		return Sample{}, err
	}
	l.began = time.Now()
	var all sync.WaitGroup
	for i := range max(c.Connections, int(c.Rate/20)) {
		all.Go(func() { l.connection(ctx, i) })
	}
	all.Wait()
	wall := time.Since(l.began).Seconds()
	after, err := g.cpu()
	switch {
	case ctx.Err() != nil: // whatever it did to the rest
		return Sample{}, ctx.Err()
	case l.failed != nil:
		return Sample{}, l.failed
	case err != nil:
		return Sample{}, err
	case len(l.took) == 0:
		return Sample{}, fmt.Errorf("no request ended within %s", span)
	}
	slices.Sort(l.took)
	n := float64(len(l.took))
	s := Sample{CPU: map[string]float64{}, Seconds: wall / n, P50: l.took[len(l.took)/2], Longest: l.took[len(l.took)-1] / 1e3}
	for kind, ns := range after {
		s.CPU[kind] = float64(ns-before[kind]) / 1e3 / n
	}
	return s, nil
}

// connection sends requests, one after the other, until the time is over or one fails.
func (l *load) connection(ctx context.Context, i int) {
	t := talk{random: rand.New(rand.NewPCG(l.seed, uint64(i))), c: l.c}
	var took []float64
	var err error
	for err == nil && ctx.Err() == nil && time.Since(l.began) < l.span {
		from, inTime := l.wait()
		if !inTime {
			break
		}
		body, before := t.next()
		pool := t.random.IntN(max(l.target.setting.Pools, 1))
		if l.c.Rate == 0 {
			from = time.Now()
		}
		if err = post(l.client, l.target.URL, body, before, pool, l.c.Events); err == nil {
			took = append(took, float64(time.Since(from).Nanoseconds())/1e3)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.failed = err
		return
	}
	l.took = append(l.took, took...)
}

// wait returns at the time of an open loop's next request; false: that is after the end. A request that waits for a free sender counts
// from when it was due.
func (l *load) wait() (due time.Time, inTime bool) {
	if l.c.Rate == 0 {
		return time.Time{}, true
	}
	due = l.began.Add(time.Duration(float64(l.due.Add(1)) / l.c.Rate * 1e9))
	if due.Sub(l.began) > l.span {
		return due, false
	}
	time.Sleep(time.Until(due))
	return due, true
}

// post sends a body and reads its answer, which is streamed if events is not 0.
func post(client *http.Client, url string, body []byte, before, pool, events int) error {
	request, err := http.NewRequest(http.MethodPost, url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("content-type", "application/json")
	request.Header.Set(poolHeader, strconv.Itoa(pool))
	if before > 0 {
		request.Header.Set("x-before", strconv.Itoa(before))
	}
	if events > 0 {
		request.Header.Set(eventsHeader, strconv.Itoa(events))
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return nil
}
