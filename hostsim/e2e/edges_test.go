//go:build e2e

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// dial opens a connection that ends with the test.
func (s *stack) dial(t testing.TB) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// wireForm is a request as it is sent.
func wireForm(path, body string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s", path, len(body), body)
}

// Clients that send many requests at once over one connection get their answers in order, each to its own body.
func TestPipelining(t *testing.T) {
	s, _ := launchSinks(t, "endpoint", nil)
	var clients sync.WaitGroup
	for c := range 4 {
		clients.Go(func() {
			conn := s.dial(t)
			defer conn.Close()
			var bodies []string
			all := ""
			for n := range 25 {
				body := chat(story(c), strings.Repeat("word ", n*n*7), nil)
				if n%5 == 4 {
					body = "{" // nothing that is known
				}
				bodies, all = append(bodies, body), all+wireForm("/v1/chat/completions", body)
			}
			go io.WriteString(conn, all)
			answers := bufio.NewReader(conn)
			for n, body := range bodies {
				response, err := http.ReadResponse(answers, nil)
				if err != nil {
					t.Errorf("client %d, answer %d: %v", c, n, err)
					return
				}
				io.Copy(io.Discard, response.Body)
				if got := response.Header.Get("x-received"); response.StatusCode != 200 || got != whole(body) {
					t.Errorf("client %d, answer %d: status %d, the replica received %q; want %s", c, n, response.StatusCode, got, whole(body))
				}
			}
		})
	}
	clients.Wait()
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
}

// Clients that hang up at every stage leave nothing behind, with eight workers.
func TestHangUpAtEachStage(t *testing.T) {
	t.Parallel()
	s, _ := launchReplicas(t, "endpoint", 3, false, func(o *gateway.Options) { o.Concurrency = 8 })
	request := wireForm("/v1/chat/completions", chat(story(1), "Tell.", streamed))
	const stages = 80
	for n := range stages {
		conn := s.dial(t)
		io.WriteString(conn, request[:len(request)*min(n, 60)/60])
		if n > 60 { // within the answer: after so many of its lines
			lines := bufio.NewReader(conn)
			for range n - 60 {
				lines.ReadString('\n')
			}
		}
		if tcp, ok := conn.(*net.TCPConn); ok && n%2 == 0 {
			tcp.SetLinger(0) // a reset, not an end
		}
		conn.Close()
	}
	l := s.start(t, 16, 0)
	time.Sleep(time.Second)
	l.end()
	if lost, sent, why := l.lost(); lost > 0 {
		t.Errorf("%d of %d requests were lost: %v", lost, sent, why)
	}
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
	s.noTrap(t)
}

// A long answer passes at the speed of its client and takes no memory; with WARMROUTE_LONG it is a gigabyte.
func TestLongAnswer(t *testing.T) {
	size := int64(64 << 20)
	if os.Getenv("WARMROUTE_LONG") != "" {
		size = 1 << 30
	}
	s, list := launchReplicas(t, "endpoint", 1, false, func(o *gateway.Options) {
		o.Plugin = map[string]any{"endpoints": []any{o.Replicas[0]}, "scrape": map[string]any{"cluster": "vllm"}}
		o.Replicas = []string{o.Replicas[0], o.Replicas[0], o.Replicas[0]}
	})
	list[0].bulk.Store(size)
	s.post(t, "/v1/chat/completions", chat(story(1), "Hello.", nil))
	before, _ := taken(t, s.Pid())
	list[0].set(bulk)
	response, err := (&http.Client{Timeout: 5 * time.Minute}).Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(chat(story(1), "Go on.", streamed)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	got, most := int64(0), before
	for piece := make([]byte, 4<<20); ; {
		n, err := io.ReadFull(response.Body, piece)
		got += int64(n)
		memory, _ := taken(t, s.Pid())
		if most = max(most, memory); err != nil {
			break
		}
	}
	t.Logf("%d MB passed; Envoy takes %d MB, %d MB at most", got>>20, before>>20, most>>20)
	if got < size {
		t.Errorf("%d of %d bytes came", got, size)
	}
	if most > before+48<<20 {
		t.Errorf("Envoy takes %d MB, %d MB before the answer", most>>20, before>>20)
	}
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
}
