//go:build e2e

package e2e

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// wire is what raw replicas were sent, as it came: an HTTP server would stop at the announced length, and take what
// follows for another request.
type wire struct {
	addresses []string
	last      string // ends every request that these replicas are sent

	mu    sync.Mutex
	conns []*bytes.Buffer
}

// listen starts n raw replicas that answer, and go on reading, whenever what came ends in last.
func listen(t *testing.T, n int, last string) *wire {
	t.Helper()
	w := &wire{last: last}
	for range n {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		w.addresses = append(w.addresses, listener.Addr().String())
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				go w.record(conn)
			}
		}()
	}
	return w
}

func (w *wire) record(conn net.Conn) {
	defer conn.Close()
	got := &bytes.Buffer{}
	w.mu.Lock()
	w.conns = append(w.conns, got)
	w.mu.Unlock()
	part := make([]byte, 64<<10)
	for {
		n, err := conn.Read(part)
		if err != nil {
			return
		}
		w.mu.Lock()
		got.Write(part[:n])
		whole := bytes.HasSuffix(got.Bytes(), []byte(w.last))
		w.mu.Unlock()
		if whole {
			fmt.Fprint(conn, "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}")
		}
	}
}

// requests are the bytes of every connection that carried any.
func (w *wire) requests() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, conn := range w.conns {
		if conn.Len() > 0 {
			all = append(all, conn.String())
		}
	}
	return all
}

const (
	stallDecide = 300 * time.Millisecond // decide_timeout
	stall       = 700 * time.Millisecond // longer than it takes to notice a stalled request
)

// A client that stalls for longer than decide_timeout and then goes on: the replica receives its body once, byte for
// byte, whatever had been held by then. A part that came twice would be read as the next request.
func TestStalledUploadArrivesOnce(t *testing.T) {
	const first, second, third = `{"model":"m","messages":[{"role":"user","content":"The first part, `, `the second, `, `and the last."}]}`
	for _, example := range []string{"endpoint", "cluster", "gate"} {
		for i, c := range []struct {
			name  string
			parts []string // "" is a stall
		}{
			{"in the middle", []string{first, "", second, third}},
			{"before the last part", []string{first, second, "", third}},
			{"twice", []string{first, "", second, "", third}},
			{"before any byte", []string{"", first, second, third}},
			{"before any byte and in the middle", []string{"", first, "", second, third}},
			{"never", []string{first, second, third}},
		} {
			if example != "endpoint" && i > 0 {
				continue // the others are held and let go alike: one case shows it
			}
			for _, chunked := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/chunked=%v", example, c.name, chunked), func(t *testing.T) {
					t.Parallel()
					stalledUpload(t, example, c.parts, chunked)
				})
			}
		}
	}
}

func stalledUpload(t *testing.T, example string, parts []string, chunked bool) {
	body := strings.Join(parts, "")
	last := body[len(body)-8:]
	if chunked {
		last = "0\r\n\r\n"
	}
	w := listen(t, 3, last)
	settings := map[string]any{"decide_timeout": stallDecide.String()}
	opt := options(strings.Replace(example, "gate", "property", 1), &fleet.Fleet{}, settings)
	if example == "gate" { // with the flag, which a gate needs not
		gates := gatesOfEnvoyGateway(t)
		opt.Edit = func(doc any) {
			gates(doc)
			for _, filter := range gateway.Find(doc, "vm_config") {
				filter["allow_on_headers_stop_iteration"] = true
			}
		}
	}
	opt.Replicas = w.addresses
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	length := fmt.Sprintf("content-length: %d", len(body))
	if chunked {
		length = "transfer-encoding: chunked"
	}
	send := func(text string) {
		t.Helper()
		if _, err := io.WriteString(conn, text); err != nil {
			t.Fatal(err)
		}
		time.Sleep(30 * time.Millisecond) // so that the proxy sees the parts one by one
	}
	send("POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\n" + length + "\r\n\r\n")
	for _, part := range parts {
		switch {
		case part == "":
			time.Sleep(stall)
		case chunked:
			send(fmt.Sprintf("%x\r\n%s\r\n", len(part), part))
		default:
			send(part)
		}
	}
	if chunked {
		send("0\r\n\r\n")
	}
	if err := conn.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatalf("no answer: %v; the replicas were sent %q", err, w.requests())
	}
	response.Body.Close()
	if response.StatusCode != 200 {
		t.Errorf("got status %d, want 200", response.StatusCode)
	}
	time.Sleep(50 * time.Millisecond) // for what might be sent after the end
	requests := w.requests()
	if len(requests) != 1 {
		t.Fatalf("got %d connections with a request, want 1: %q", len(requests), requests)
	}
	_, got, _ := strings.Cut(requests[0], "\r\n\r\n")
	if chunked {
		rest := bufio.NewReader(strings.NewReader(got))
		text, err := io.ReadAll(httputil.NewChunkedReader(rest))
		if err != nil {
			t.Errorf("the chunks of %q: %v", got, err)
		}
		after, err := io.ReadAll(rest)
		if err != nil || string(after) != "\r\n" { // ends the empty trailers
			t.Errorf("after the last chunk: got %q, %v", after, err)
		}
		got = string(text)
	}
	if got != body {
		t.Errorf("the replica received %q\nwant %q", got, body)
	}
}

// Clients whose body comes after decide_timeout are not the proxy's fault: the requests after them are still routed by
// their prompt.
func TestSlowClientsChangeNothing(t *testing.T) {
	s := launch(t, "endpoint", func(o *gateway.Options) {
		o.Plugin = map[string]any{"policy": "prefix_hash", "decide_timeout": stallDecide.String()}
	})
	ask := func(n int) {
		t.Helper()
		if r := s.post(t, "/v1/chat/completions", chat(story(n), "Hello?", nil)); r.status != 200 || r.decision["reason"] != "home" {
			t.Errorf("request %d: got status %d, decision %v; want by the prompt's home", n, r.status, r.decision)
		}
	}
	ask(0)
	const slow = 3 // as many stop the holding of requests on a proxy that never showed a body
	for n := range slow {
		// A stall is noticed within a fifth of the timeout after it.
		r := s.parts(t, "/v1/chat/completions", stallDecide*3/2, "", chat(story(n), "Slowly.", nil))
		if r.status != 200 || r.decision != nil && r.decision["reason"] != "" {
			t.Errorf("slow client %d: got status %d, decision %v; want an unrouted answer", n, r.status, r.decision)
		}
	}
	if got := s.stat(t, `warmroute_passed_total{reason="stalled"}`); got != slow {
		t.Fatalf("stalled requests: got %v, want %d", got, slow)
	}
	for n := range 6 {
		ask(n)
	}
}
