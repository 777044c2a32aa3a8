//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// conduct is what a replica does with a request.
type conduct int32

const (
	answers conduct = iota
	hangs           // does not answer while it does so; then it resets
	resets          // resets the connection
	breaks          // resets it in the middle of the answer
	fails           // 500 at once
	slows           // answers after two seconds
	bulk            // as much as bulk says
)

// page is what a replica's page of metrics is like.
type page int32

const (
	usual page = iota
	gone
	huge      // 40 MB
	truncated // and with a wrong length
	lying     // idle and empty, or so it says
	hanging
)

// replica is a server that misbehaves on demand; it computes nothing.
type replica struct {
	address string
	bulk    atomic.Int64 // bytes of a bulky answer
	conduct atomic.Int32
	page    atomic.Int32

	server  *http.Server
	running atomic.Int64
	asked   atomic.Int64 // for its metrics
	lock    sync.Mutex
	change  chan struct{} // closed when conduct changes
}

// newReplica starts one at a free loopback port, which it keeps until the test ends, dead or alive.
func newReplica(t testing.TB) *replica {
	t.Helper()
	keeper, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err == nil {
		err = shared(uintptr(keeper))
	}
	if err == nil {
		err = syscall.Bind(keeper, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}) // and never listens
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Close(keeper) })
	name, err := syscall.Getsockname(keeper)
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{change: make(chan struct{}), address: fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)}
	r.revive(t)
	t.Cleanup(func() { r.server.Close() })
	return r
}

// shared lets several sockets have one port.
func shared(socket uintptr) error {
	const reusePort = 15 // SO_REUSEPORT of Linux
	return syscall.SetsockoptInt(int(socket), syscall.SOL_SOCKET, reusePort, 1)
}

// revive starts it, the first time or again.
func (r *replica) revive(t testing.TB) {
	listen := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) (err error) {
		failed := c.Control(func(socket uintptr) { err = shared(socket) })
		return errors.Join(failed, err)
	}}
	l, err := listen.Listen(context.Background(), "tcp", r.address)
	if err != nil {
		t.Fatal(err)
	}
	r.server = &http.Server{Handler: r}
	go r.server.Serve(l)
}

// kill stops it, with all its connections.
func (r *replica) kill() { r.server.Close() }

func (r *replica) set(c conduct) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.conduct.Store(int32(c))
	close(r.change)
	r.change = make(chan struct{})
}

func (r *replica) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.URL.Path == "/metrics" {
		r.metrics(w, q)
		return
	}
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	r.lock.Lock()
	change := r.change
	r.lock.Unlock()
	r.running.Add(1)
	defer r.running.Add(-1)
	w.Header().Set("X-Replica", r.address)
	switch conduct(r.conduct.Load()) {
	case hangs:
		select {
		case <-change:
		case <-q.Context().Done():
		}
		reset(w)
		return
	case resets:
		reset(w)
		return
	case fails:
		http.Error(w, "no", http.StatusInternalServerError)
		return
	case slows:
		time.Sleep(2 * time.Second)
	case bulk:
		piece := bytes.Repeat([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\n\n"), 1<<14)
		w.Header().Set("Content-Type", "text/event-stream")
		for sent := 0; sent < int(r.bulk.Load()); sent += len(piece) {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
		return
	}
	r.answer(w, len(body)/4, bytes.Contains(body, []byte(`"stream":true`)))
}

// answer is that of a healthy replica, or of one that breaks in the middle.
func (r *replica) answer(w http.ResponseWriter, tokens int, stream bool) {
	usage := fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":4,"total_tokens":%d}`, tokens, tokens+4)
	if !stream {
		w.Header().Set("Content-Type", "application/json")
		if conduct(r.conduct.Load()) == breaks {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"choices":[`)
			http.NewResponseController(w).Flush()
			reset(w)
			return
		}
		time.Sleep(2 * time.Millisecond)
		fmt.Fprintf(w, `{"choices":[{"message":{"content":"one two three four"}}],%s}`, usage)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for range 4 {
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\n\n")
		http.NewResponseController(w).Flush()
		if conduct(r.conduct.Load()) == breaks {
			reset(w)
			return
		}
		time.Sleep(2 * time.Millisecond)
	}
	fmt.Fprintf(w, "data: {\"choices\":[],%s}\n\ndata: [DONE]\n\n", usage)
}

// reset breaks the connection.
func reset(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		tcp.SetLinger(0)
	}
	conn.Close()
}

func (r *replica) metrics(w http.ResponseWriter, q *http.Request) {
	r.asked.Add(1)
	running := r.running.Load()
	text := fmt.Sprintf("vllm:num_requests_running %d\nvllm:num_requests_waiting 0\nvllm:kv_cache_usage_perc 0.%d\n"+
		"vllm:cache_config_info{block_size=\"16\",num_gpu_blocks=\"20000\"} 1\n", running, min(running, 9))
	switch page(r.page.Load()) {
	case gone:
		http.NotFound(w, q)
	case huge:
		io.WriteString(w, text)
		line := []byte(strings.Repeat("vllm:request_success_total{reason=\"stop\"} 17\n", 1<<13))
		for sent := 0; sent < 40<<20; sent += len(line) {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
	case truncated:
		w.Header().Set("Content-Length", "100000")
		io.WriteString(w, text[:len(text)/2])
		http.NewResponseController(w).Flush()
		reset(w)
	case lying:
		io.WriteString(w, "vllm:num_requests_running 0\nvllm:num_requests_waiting -1e300\nvllm:kv_cache_usage_perc NaN\n"+
			"vllm:cache_config_info{block_size=\"99999999999\",num_gpu_blocks=\"-3\"} 1\nvllm:num_requests_running 0\n")
	case hanging:
		<-q.Context().Done()
	default:
		io.WriteString(w, text)
	}
}
