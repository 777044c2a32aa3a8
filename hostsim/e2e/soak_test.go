//go:build e2e

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// At full speed with a fault a second, of replicas, of their pages and of clients: the module does not trap, its memory stays, and
// nothing is in flight at rest. WARMROUTE_SOAK is how long, "1h" for instance; five seconds unless given.
func TestSoak(t *testing.T) {
	length := 5 * time.Second
	if d, err := time.ParseDuration(os.Getenv("WARMROUTE_SOAK")); err == nil {
		length = d
	}
	s, list := launchReplicas(t, "endpoint", 4, false, func(o *gateway.Options) {
		o.Plugin = map[string]any{"scrape": map[string]any{"cluster": "vllm"}, "index_bytes": 4 << 20, "decide_timeout": "200ms"}
		o.Replicas = o.Replicas[:3]
		o.Edit = func(doc any) { // its log would fill the disk
			for _, at := range gateway.Find(doc, "access_log") {
				delete(at, "access_log")
			}
		}
	})
	list = list[:3]
	random := rand.New(rand.NewPCG(1, 18))
	l := s.start(t, 8, 0, func(l *load) { l.fresh, l.forget = true, true })
	began, quarter, dead := time.Now(), 0, map[int]bool{}
	for n := 1; time.Since(began) < length; n++ {
		for i, r := range list { // at most two are ill at a time, for a second or two
			switch {
			case dead[i]:
				r.revive(t)
				delete(dead, i)
			case random.IntN(2) == 0:
				r.set(answers)
				r.page.Store(int32(usual))
			}
		}
		i := random.IntN(len(list))
		switch random.IntN(4) {
		case 0:
			list[i].kill()
			dead[i] = true
		case 1:
			list[i].page.Store(int32([]page{gone, truncated, lying, hanging}[random.IntN(4)]))
		default:
			list[i].set([]conduct{hangs, resets, breaks, fails, slows}[random.IntN(5)])
		}
		s.rudeClient(random)
		time.Sleep(time.Second)
		if quarter == 0 && time.Since(began) > length/4 {
			quarter, _ = taken(t, s.Pid())
		}
		if n%60 == 0 {
			memory, cpu := taken(t, s.Pid())
			lost, sent, _ := l.lost()
			t.Logf("%d s: %d requests, %d lost, %d MB, %.0f s of CPU", n, sent, lost, memory>>20, cpu)
		}
	}
	for i, r := range list {
		if r.set(answers); dead[i] {
			r.revive(t)
		}
	}
	time.Sleep(time.Second)
	l.end()
	memory, _ := taken(t, s.Pid())
	lost, sent, why := l.lost()
	t.Logf("%s: %d requests, %d lost %v; %d MB after a quarter, %d MB at the end", length, sent, lost, why, quarter>>20, memory>>20)
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
	if memory > quarter+48<<20 {
		t.Errorf("Envoy takes %d MB, %d MB after a quarter of the time", memory>>20, quarter>>20)
	}
	s.noTrap(t)
}

// rudeClient hangs up at one of the stages of a request, or sends what no client should.
func (s *stack) rudeClient(random *rand.Rand) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		return
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	body := chat(story(random.IntN(100)), "Rude?", streamed)
	head := fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n", len(body))
	request := head + body
	switch random.IntN(6) {
	case 0: // hangs up somewhere in the request
		io.WriteString(conn, request[:random.IntN(len(request))])
		time.Sleep(20 * time.Millisecond)
	case 1: // before the answer
		io.WriteString(conn, request)
	case 2: // in the middle of it
		io.WriteString(conn, request)
		bufio.NewReader(conn).ReadString('\n')
	case 3: // trickles, until it is let go
		for i := 0; i < len(head)+50; i += 50 {
			io.WriteString(conn, request[i:min(i+50, len(request))])
			time.Sleep(10 * time.Millisecond)
		}
	case 4: // pipelines
		io.WriteString(conn, strings.Repeat(request, 5))
		http.ReadResponse(bufio.NewReader(conn), nil)
	default: // sends what is no JSON
		junk := make([]byte, 1+random.IntN(5000))
		for i := range junk {
			junk[i] = byte(random.Uint32())
		}
		io.WriteString(conn, strings.Replace(head, fmt.Sprint(len(body)), fmt.Sprint(len(junk)), 1)+string(junk))
		bufio.NewReader(conn).ReadString('\n')
	}
}
