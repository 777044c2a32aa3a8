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
		t.text = append(t.text[:0], `{"model":"m","max_tokens":2,"messages":[{"role":"system","content":"You answer questions on gardens. `...)
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

// measure sends load to a target for a while.
func measure(ctx context.Context, g *target, c Case, span time.Duration, seed uint64) (Sample, error) {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		MaxIdleConnsPerHost: max(c.Connections, 64), MaxConnsPerHost: max(c.Connections, 64), DisableCompression: true}}
	defer client.CloseIdleConnections()
	before, err := g.cpu()
	if err != nil {
		return Sample{}, err
	}
	var mu sync.Mutex
	var took []float64
	var failed error
	var due atomic.Int64 // of the open loop: requests that were to begin
	began := time.Now()
	var all sync.WaitGroup
	for i := range max(c.Connections, int(c.Rate/20)) {
		all.Go(func() {
			t := talk{random: rand.New(rand.NewPCG(seed, uint64(i))), c: c}
			var own []float64
			for ctx.Err() == nil && time.Since(began) < span {
				from := time.Now()
				if c.Rate > 0 { // a request that waits for a free sender counts from when it was due
					from = began.Add(time.Duration(float64(due.Add(1)) / c.Rate * 1e9))
					if from.Sub(began) > span {
						break
					}
					time.Sleep(time.Until(from))
				}
				body, held := t.next()
				pool := t.random.IntN(max(g.setting.Pools, 1))
				if c.Rate == 0 {
					from = time.Now()
				}
				if err := post(client, g.URL, body, held, pool); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
					return
				}
				own = append(own, float64(time.Since(from).Nanoseconds())/1e3)
			}
			mu.Lock()
			took = append(took, own...)
			mu.Unlock()
		})
	}
	all.Wait()
	wall := time.Since(began).Seconds()
	after, err := g.cpu()
	switch {
	case ctx.Err() != nil: // whatever it did to the rest
		return Sample{}, ctx.Err()
	case failed != nil:
		return Sample{}, failed
	case err != nil:
		return Sample{}, err
	case len(took) == 0:
		return Sample{}, fmt.Errorf("no request ended within %s", span)
	}
	slices.Sort(took)
	n := float64(len(took))
	s := Sample{CPU: map[string]float64{}, Seconds: wall / n, P50: took[len(took)/2], Longest: took[len(took)-1] / 1e3}
	for kind, ns := range after {
		s.CPU[kind] = float64(ns-before[kind]) / 1e3 / n
	}
	return s, nil
}

func post(client *http.Client, url string, body []byte, before, pool int) error {
	request, err := http.NewRequest(http.MethodPost, url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("content-type", "application/json")
	request.Header.Set(poolHeader, strconv.Itoa(pool))
	if before > 0 {
		request.Header.Set("x-before", strconv.Itoa(before))
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
