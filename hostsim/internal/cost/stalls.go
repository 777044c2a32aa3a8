package cost

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Stall is what the worker thread of an Envoy computed at most without a break, in CPU time: whatever else the machine does, it is no part
// of that.
type Stall struct {
	Variant  string     `json:"variant"`
	Requests int        `json:"requests"`
	Longest  float64    `json:"longest_ms"`
	Above    [3]int     `json:"above"` // stallMS
	At       [3]float64 `json:"at"`    // ms: the mean, and which 99.9 and 99.99 % are below
}

// stallMS are bounds in milliseconds.
var stallMS = [3]float64{0.5, 1, 2}

// stallRound is how many requests a variant gets in a row.
const stallRound = 5000

// Stalls sends requests one after the other to each variant in turn, and prints the longest that its worker computed for two in a row and
// all between them. The kernel counts a thread's time when the thread stops, so what a request leaves to be done after its response may
// count with the next one: two together have all of it.
func Stalls(ctx context.Context, o Options, of Setting, variants []Variant, c Case, requests int, w io.Writer) (rows []Stall, err error) {
	if of.Workers != 1 {
		return nil, errors.New("stalls are those of one worker")
	}
	c.Connections = 1
	servers, err := serve(of.Endpoints)
	if err != nil {
		return nil, err
	}
	defer servers.close()
	var each []*stalls
	for _, v := range variants {
		t, err := start(ctx, o, of, v, servers.addresses)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		defer t.close()
		file, err := workerFile(t.Pid())
		if err != nil {
			return nil, err
		}
		defer file.Close()
		each = append(each, &stalls{target: t, file: file, talk: talk{random: rand.New(rand.NewPCG(1, uint64(len(each)))), c: c}})
	}
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	fmt.Fprintf(w, "\nstalls, %s, %s: CPU time of the worker for two requests in a row and all between them, ms\n%20s %9s %8s %8s %8s %8s", of, c, "", "requests", "mean", "99.9 %", "99.99 %", "longest")
	for _, ms := range stallMS {
		fmt.Fprintf(w, " %8s", fmt.Sprintf("> %v", ms))
	}
	fmt.Fprintln(w)
	for sent := 0; sent < requests; sent += stallRound {
		for _, s := range each {
			if err := s.round(ctx, client, min(stallRound, requests-sent)); err != nil {
				return nil, err
			}
		}
	}
	for i, s := range each {
		r := s.row(variants[i].Name)
		rows = append(rows, r)
		fmt.Fprintf(w, "%20s %9d %8.3f %8.3f %8.3f %8.3f %8d %8d %8d\n", r.Variant, r.Requests, r.At[0], r.At[1], r.At[2], r.Longest, r.Above[0], r.Above[1], r.Above[2])
	}
	return rows, nil
}

// stalls are those of one variant.
type stalls struct {
	target   *target
	file     *os.File // of the worker's CPU time
	talk     talk
	requests int
	sum      float64   // ms
	longest  float64   // ms
	counts   [1000]int // by 10 µs, the last has all that are longer
}

// round sends requests. The first of them only begins: nothing is known of what was before.
func (s *stalls) round(ctx context.Context, client *http.Client, requests int) error {
	var took [2]int64 // ns: of the one before, and of the last
	last := int64(0)
	for i := -2; i < requests; i++ {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		body, before := s.talk.next()
		if err := post(client, s.target.URL, body, before, 0, s.talk.c.Events); err != nil {
			return err
		}
		at, err := readTime(s.file)
		if err != nil {
			return err
		}
		took[0], took[1], last = took[1], at-last, at
		if i < 0 {
			continue
		}
		ms := float64(took[1]) / 1e6
		if i > 0 {
			ms = float64(took[0]+took[1]) / 1e6
		}
		s.requests++
		s.sum, s.longest = s.sum+ms, max(s.longest, ms)
		s.counts[min(int(ms*100), len(s.counts)-1)]++
	}
	return nil
}

func (s *stalls) row(name string) Stall {
	r := Stall{Variant: name, Requests: s.requests, Longest: s.longest, At: [3]float64{s.sum / float64(max(s.requests, 1))}}
	below := 0
	for i, n := range s.counts {
		for k, share := range []float64{0.999, 0.9999} {
			if limit := share * float64(s.requests); float64(below) < limit && float64(below+n) >= limit {
				r.At[k+1] = float64(i+1) / 100
			}
		}
		below += n
		for k, ms := range stallMS {
			if float64(i) >= ms*100 {
				r.Above[k] += n
			}
		}
	}
	return r
}

// workerFile is the kernel's file with the CPU time of a process's worker thread.
func workerFile(pid int) (*os.File, error) {
	names, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/comm", pid))
	for _, name := range names {
		if text, err := os.ReadFile(name); err == nil && strings.HasPrefix(string(text), "wrk:") {
			return os.Open(filepath.Join(filepath.Dir(name), "schedstat"))
		}
	}
	return nil, fmt.Errorf("process %d has no worker thread; this needs Linux", pid)
}

// readTime is a thread's CPU time in ns.
func readTime(file *os.File) (int64, error) {
	var text [64]byte
	n, err := file.ReadAt(text[:], 0)
	if err != nil && err != io.EOF {
		return 0, err
	}
	first, _, _ := strings.Cut(string(text[:n]), " ")
	return strconv.ParseInt(first, 10, 64)
}
