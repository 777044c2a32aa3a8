package faults

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"warmroute/hostsim/internal/host"
	"warmroute/plugin/config"
)

// chats is the path of chat completions.
const chats = "/v1/chat/completions"

// An Event is one thing that happens. What A and B mean depends on the kind; every event can happen in every state, so a
// schedule with some of its events left out is one as well.
type Event struct {
	Kind Kind
	A, B int
}

// Kind is what happens.
type Kind uint8

const (
	Begin   Kind = iota // a client begins request A; B is how it sends it
	Go                  // A steps of the B-th request under way
	Leave               // the client of the A-th request under way hangs up
	Wait                // A milliseconds go by
	Change              // replica A takes Mode B
	Clock               // the proxy's clock is set to differ by A ms
	Pages               // the pages of metrics are of kind A from now on
	Members             // discovery reports A replicas
	kinds
)

func (e Event) String() string {
	return fmt.Sprintf("%s(%d, %d)", [...]string{"begin", "go", "leave", "wait", "change", "clock", "pages", "members"}[e.Kind], e.A, e.B)
}

// Schedule is a world and what happens in it.
type Schedule struct {
	Options
	Events []Event
}

var policies = []string{"cache_aware", "expected_ttft", "lru_match", "prefix_hash", "prefix_key", "session_affinity", "round_robin",
	"join_shortest_queue", "power_of_two", "random"}

// Draw makes the schedule of a seed.
func Draw(seed uint64) Schedule {
	r := rand.New(rand.NewPCG(seed, 18))
	s := Schedule{Options: Options{Workers: 1 + r.IntN(3), Replicas: 1 + r.IntN(6), CacheTokens: 1 << (12 + r.IntN(6)), Seed: seed, Discover: r.IntN(3) == 0}}
	if r.IntN(8) == 0 {
		s.Workers = 8
	}
	s.Plugin = fmt.Sprintf(`"policy":%q,"max_inspecting":%d,"index_bytes":%d`, policies[r.IntN(len(policies))], 1+r.IntN(40), 1<<(18+r.IntN(5)))
	if r.IntN(4) == 0 {
		s.Plugin += `,"shadow":"round_robin","response_header":"x-decision"`
	}
	if s.Discover {
		s.Replicas = 16
	}
	for range 40 + r.IntN(120) {
		e := Event{Kind: []Kind{Begin, Begin, Begin, Go, Go, Go, Go, Go, Wait, Wait, Leave, Change, Clock, Pages, Members}[r.IntN(15)], A: r.IntN(1 << 16), B: r.IntN(1 << 16)}
		switch e.Kind {
		case Go:
			e.A = 1 + e.A%20
		case Wait:
			e.A = []int{1, 20, 300, 1100, 20, 300, 6000, 1100, 1, 20, 300, 70_000}[e.A%12]
		case Clock:
			e.A = []int{0, 0, -3_600_000, 3_600_000, -5000, 5000}[e.A%6]
		case Members:
			e.A = []int{0, 1, 3, 3, 12, 16}[e.A%6]
		}
		s.Events = append(s.Events, e)
	}
	return s
}

// player plays a schedule.
type player struct {
	*World
	open    []*job
	members int
	faults  []string
}

// job is a request under way, as its client sends it.
type job struct {
	*Exchange
	whole []byte
	sent  int
	part  int // bytes that the client sends at a time
	left  bool
	to    []string
}

const leastMemory = 48 << 20 // bytes that a VM may take

// Play plays the schedule and returns what went wrong; nothing if all is as it should be.
func (s Schedule) Play(ctx context.Context, module *host.Module) (faults []string, err error) {
	p := &player{members: s.Replicas}
	if p.World, err = New(ctx, module, s.Options); err != nil {
		return nil, err
	}
	defer p.Proxy.Close()
	p.Admin = p.admin
	p.Pass(3e9)
	for _, e := range s.Events {
		p.play(e)
	}
	p.rest()
	return p.faults, nil
}

func (p *player) fault(format string, args ...any) {
	if len(p.faults) < 20 {
		p.faults = append(p.faults, fmt.Sprintf(format, args...))
	}
}

func (p *player) play(e Event) {
	switch e.Kind {
	case Begin:
		p.begin(e)
	case Go, Leave:
		if len(p.open) == 0 {
			return
		}
		j := p.open[e.B%len(p.open)]
		if e.Kind == Leave {
			j.left = true
			j.Stop()
		} else {
			for range e.A {
				p.step(j)
			}
		}
		p.settle(j)
	case Wait:
		p.Pass(int64(e.A) * 1e6)
	case Change:
		p.Replicas[e.A%len(p.Replicas)].Mode = Mode(e.B % int(modes))
	case Clock:
		p.Proxy.Skew(int64(e.A) * 1e6)
	case Pages:
		p.pages(e.A)
	case Members:
		p.members = min(e.A, len(p.Replicas))
	}
}

// bodies are what clients send: the usual, and what no client should.
func bodyOf(n int) (path string, body string, headers []string) {
	text := fmt.Sprintf("Text %d begins here. ", n%17) + strings.Repeat(fmt.Sprintf("And %d goes on. ", n%17), []int{1, 30, 300, 9000}[n>>5%4])
	more := []string{"", `,"stream":true`, `,"stream":true,"stream_options":{"include_usage":true}`, `,"prompt_logprobs":1`, `,"cache_salt":"s"`, `,"n":2`}[n>>7%6]
	head := `{"model":"m","tools":[],"messages":[{"role":"user","content":"`
	switch n >> 10 % 12 {
	case 0:
		return "/v1/completions", `{"model":"m","prompt":"` + text + `"` + more + `}`, nil
	case 1:
		return chats, head + text, nil // cut short
	case 2:
		return chats, `{"messages":` + strings.Repeat("[", 100), nil
	case 3:
		return "/v1/embeddings", `{"input":"x"}`, nil
	case 4:
		return chats, "", nil
	case 5:
		return chats, head + text + `"}]}`, []string{config.EndpointHeader, "10.9.9.9:1", "content-encoding", "identity"}
	case 6:
		return chats, head + text + `"}]}}}}`, []string{"x-session-id", fmt.Sprint(n % 5)}
	}
	return chats, head + text + `"}]` + more + `}`, nil
}

func (p *player) begin(e Event) {
	path, body, headers := bodyOf(e.A)
	j := &job{whole: []byte(body), part: []int{1 << 30, 100, 7000, 64 << 10}[e.B%4]}
	j.Exchange = p.Open(e.B/4%p.Proxy.Workers(), path, len(body), headers...)
	p.open = append(p.open, j)
	p.step(j)
	p.settle(j)
}

// step lets the next thing of a request happen: the client sends a part, the proxy chooses a replica, the replica answers.
func (p *player) step(j *job) {
	if j.Stream.Closed() {
		return
	}
	if j.sent < len(j.whole) {
		n := min(j.part, len(j.whole)-j.sent)
		j.Write(j.whole[j.sent:j.sent+n], j.sent+n == len(j.whole))
		j.sent += n
	}
	if j.Started() && j.Replica == nil && len(j.Tried) == 0 {
		p.route(j)
		return
	}
	j.Step()
}

// route looks at where the module has sent a request.
func (p *player) route(j *job) {
	text, steered := j.Stream.Upstream().Headers.Get(config.EndpointHeader)
	if steered {
		j.to = strings.Split(text, ",")
	}
	for i, address := range j.to {
		if p.at(address) == nil {
			p.fault("sent to %q, which is no replica", address)
		}
		if slices.Contains(j.to[:i], address) {
			p.fault("sent to %q twice: %s", address, text)
		}
	}
	j.Route()
}

// settle looks at a request that has ended.
func (p *player) settle(j *job) {
	if !j.Stream.Closed() {
		return
	}
	p.open = slices.DeleteFunc(p.open, func(o *job) bool { return o == j })
	up, down := j.Stream.Upstream(), j.Stream.Downstream()
	switch {
	case j.Stream.Local():
		p.fault("answered by the module or a limit: %s", j.Stream.Details())
	case j.left:
	case j.Stream.Reset() && j.Replica == nil && len(j.parts) == 0 && j.begun && j.status != 500 && !j.broke:
		p.fault("cut short: status %d", j.status)
	case down.Started && !j.broke && string(down.Body()) != string(j.answered):
		p.fault("the client got %d bytes of an answer of %d", down.Bytes(), len(j.answered))
	}
	if got := up.Body(); up.Started && (len(got) > j.sent || !bytes.Equal(got, j.whole[:len(got)])) {
		p.fault("the replica got %d bytes of a body of %d that are not its beginning", len(got), j.sent)
	}
	if up.Ended && up.Bytes() != len(j.whole) {
		p.fault("the replica got %d bytes of a body of %d, and its end", up.Bytes(), len(j.whole))
	}
}

// rest lets everything come to its end, and looks at what is left.
func (p *player) rest() {
	p.pages(0)
	p.Proxy.Skew(0)
	for _, r := range p.Replicas {
		if r.Mode != Works {
			r.Mode = Works
		}
	}
	for len(p.open) > 0 {
		j := p.open[0]
		for n := 0; n < 1<<16 && !j.Stream.Closed() && (j.sent < len(j.whole) || j.Started()); n++ {
			before := len(j.parts)
			p.step(j)
			if j.sent == len(j.whole) && j.begun && len(j.parts) == before && before == 0 {
				break
			}
		}
		if !j.Stream.Closed() {
			p.Pass(15e9) // decide_timeout, ten times
			for range 10 {
				p.step(j)
			}
		}
		if !j.Stream.Closed() {
			p.fault("never answered: %d of %d bytes sent, started %v, replica %v, tried %v, begun %v", j.sent, len(j.whole), j.Started(), j.Replica != nil, j.Tried, j.begun)
			j.left = true
			j.Stop()
		}
		p.settle(j)
	}
	p.Pass(10e9)
	for i := range p.Proxy.Workers() {
		if err := p.Proxy.VM(i).Dead(); err != nil {
			p.fault("worker %d: %v", i, err)
		}
		if got := p.Proxy.VM(i).Memory(); got > leastMemory {
			p.fault("worker %d has %d MB", i, got>>20)
		}
	}
	if n := p.Gauge("warmroute_in_flight"); n != 0 {
		p.fault("%d in flight at rest", n)
	}
	for _, entry := range p.Proxy.Logs() {
		if entry.Level >= host.LevelError {
			p.fault("log: %s", entry.Message)
		}
	}
}

// pages chooses what the replicas and the admin interface answer.
func (p *player) pages(kind int) {
	p.Answers, p.Page, p.Admin = true, nil, p.admin
	whole := func(r *Replica) []byte { return r.metrics() }
	switch kind % 9 {
	case 1:
		p.Answers = false
	case 2:
		p.Page = func(r *Replica) []byte { return bytes.Repeat(whole(r), 300) }
	case 3:
		p.Page = func(r *Replica) []byte { return whole(r)[:40] }
	case 4:
		p.Page = func(*Replica) []byte {
			return []byte("vllm:num_requests_running -1e300\nvllm:num_requests_waiting NaN\nvllm:kv_cache_usage_perc +Inf\nvllm:cache_config_info{block_size=\"99999999999\",num_gpu_blocks=\"-3\"} 1\nvllm:prefix_cache_queries_total -5\n")
		}
	case 5:
		p.Page = func(*Replica) []byte {
			return []byte("vllm:num_requests_running 1e9\nvllm:num_requests_waiting 1e18\nvllm:cache_config_info{block_size=\"1\",num_gpu_blocks=\"1\"} 1\n")
		}
	case 6:
		p.Page = func(*Replica) []byte { return []byte("<html>\x00\xff") }
	case 7:
		p.Admin = nil
	case 8:
		p.Admin = func() []byte { page := p.admin(); return page[:len(page)*2/3] }
	}
}

// admin is the page of clusters, with the first members of the replicas.
func (p *player) admin() []byte {
	var b strings.Builder
	b.WriteString(`{"cluster_statuses":[{"name":"vllm","host_statuses":[`)
	for i, r := range p.Replicas[:p.members] {
		if i > 0 {
			b.WriteByte(',')
		}
		ip, port, _ := strings.Cut(r.Address, ":")
		health := "HEALTHY"
		if r.Mode == Fails {
			health = "UNHEALTHY"
		}
		fmt.Fprintf(&b, `{"address":{"socket_address":{"address":%q,"port_value":%s}},"health_status":{"eds_health_status":%q},"weight":1}`, ip, port, health)
	}
	b.WriteString(`]}]}`)
	return []byte(b.String())
}

// Minimise leaves out of a failing schedule all events that it does not need to fail.
func (s Schedule) Minimise(ctx context.Context, module *host.Module) Schedule {
	fails := func(events []Event) bool {
		s := s
		s.Events = events
		faults, err := s.Play(ctx, module)
		return err != nil || len(faults) > 0
	}
	for size := len(s.Events) / 2; size > 0; size /= 2 {
		for at := 0; at < len(s.Events); {
			end := min(at+size, len(s.Events))
			if fewer := slices.Concat(s.Events[:at], s.Events[end:]); fails(fewer) {
				s.Events = fewer
			} else {
				at = end
			}
		}
	}
	return s
}
