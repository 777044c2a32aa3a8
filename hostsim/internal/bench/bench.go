// Package bench sends a workload, or a recorded trace, to a URL and measures what its users would see: time to first token, latency, time per
// output token, and the share of prompt tokens that came from a prefix cache, as the server reports it
// (usage.prompt_tokens_details.cached_tokens).
//
// A trace is sent at its own times (Replay). A workload's loop is closed: at most Concurrency requests are in flight, and a session's next turn waits for its last answer.
// A slow server therefore gets fewer requests, which hides queueing that an open loop would show.
package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"warmroute/hostsim/internal/workload"
)

// Options say where to send requests, and how.
type Options struct {
	URL          string        // http:// or https://, without the API's path
	Concurrency  int           // requests in flight at once, 1–4096
	WarmupPasses int           // runs of the workload before the measured one, ≥ 0
	Timeout      time.Duration // of one request; 0 means 2 minutes
	AllowRemote  bool          // allow addresses that are not loopback
	Headers      http.Header   // added to every request; may be nil
	Progress     func(done, total int)
}

// Run sends w and returns the measurements of its last pass. A failed request is a record with an error; its session
// goes on without the answer. Errors: an option out of range, a URL that is not
// allowed, ctx cancelled.
func Run(ctx context.Context, o Options, w *workload.Workload) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Timeout == 0 {
		o.Timeout = 2 * time.Minute
	}
	c := newClient(o)
	defer c.http.CloseIdleConnections()
	for range o.WarmupPasses {
		if _, err := runPass(ctx, c, o, w); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	records, err := runPass(ctx, c, o, w)
	if err != nil {
		return nil, err
	}
	return summarize(w.Name, o, records, time.Since(began)), nil
}

func (o *Options) check() error {
	if o.Concurrency < 1 || o.Concurrency > 4096 {
		return fmt.Errorf("concurrency: %d is not within 1 to 4096", o.Concurrency)
	}
	if o.WarmupPasses < 0 {
		return fmt.Errorf("warmup passes: %d is negative", o.WarmupPasses)
	}
	return CheckURL(o.URL, o.AllowRemote)
}

// CheckURL refuses anything but HTTP URLs and, unless remote is true, hosts that are not loopback addresses.
func CheckURL(raw string, remote bool) error {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("url: %q is not http://host:port", raw)
	}
	if base, is := strings.CutSuffix(strings.TrimSuffix(raw, "/"), "/v1"); is { // as OpenAI's clients have it
		return fmt.Errorf("url: %s: requests have paths such as /v1/chat/completions of their own: %s", raw, base)
	}
	if remote || u.Hostname() == "localhost" {
		return nil
	}
	if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("url: %s is not a loopback address; --allow-remote sends load to other machines", u.Host)
	}
	return nil
}

// pass is one run through the workload.
type pass struct {
	mu      sync.Mutex
	ready   []ready             // sessions whose next turn can be sent, in order
	later   []*workload.Session // not started
	active  int                 // sessions begun and not ended, those in ready included
	moved   *sync.Cond
	records []Record
	total   int
}

type ready struct {
	session *workload.Session
	answer  string
}

func runPass(ctx context.Context, c *client, o Options, w *workload.Workload) ([]Record, error) {
	p := &pass{later: w.Start(), total: w.Requests()}
	p.moved = sync.NewCond(&p.mu)
	for range max(w.Live, o.Concurrency) {
		p.begin()
	}
	wake := context.AfterFunc(ctx, p.moved.Broadcast)
	defer wake()
	var workers sync.WaitGroup
	for range o.Concurrency {
		workers.Go(func() { p.work(ctx, c, o) })
	}
	workers.Wait()
	return p.records, context.Cause(ctx)
}

// begin starts the next session, if there is one. The caller holds mu or is alone.
func (p *pass) begin() {
	if len(p.later) > 0 {
		p.ready = append(p.ready, ready{session: p.later[0]})
		p.later = p.later[1:]
		p.active++
	}
}

// work sends turns until no session has one left.
func (p *pass) work(ctx context.Context, c *client, o Options) {
	p.mu.Lock()
	defer p.mu.Unlock()
	done := 0
	for {
		for len(p.ready) == 0 && p.active > 0 && ctx.Err() == nil {
			p.moved.Wait()
		}
		if len(p.ready) == 0 || ctx.Err() != nil {
			return
		}
		r := p.ready[0]
		p.ready = p.ready[1:]
		request, ok := r.session.Next(r.answer)
		if !ok {
			p.active--
			p.begin()
			p.moved.Broadcast()
			continue
		}
		index := len(p.records)
		p.records = append(p.records, Record{Index: index, Session: request.Session})
		p.mu.Unlock()
		record, answer := c.do(ctx, request)
		p.mu.Lock()
		record.Index = index
		p.records[index] = record
		p.ready = append(p.ready, ready{r.session, answer})
		p.moved.Broadcast()
		if done++; o.Progress != nil {
			o.Progress(len(p.records), p.total)
		}
	}
}

// errRedirect prevents a redirect to a URL that CheckURL would refuse.
var errRedirect = errors.New("redirected")

func newClient(o Options) *client {
	transport := &http.Transport{ // no proxy from the environment: the URL is what is measured
		MaxIdleConnsPerHost: o.Concurrency,
		DisableCompression:  true,
	}
	return &client{
		base: strings.TrimSuffix(o.URL, "/"), headers: o.Headers, timeout: o.Timeout,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return errRedirect },
		},
	}
}
