package faults

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/host"
	"warmroute/plugin/config"
)

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

const leastMemory = 48 << 20 // bytes that a VM may use

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
		if got := p.Proxy.VM(i).Used(); got > leastMemory {
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
