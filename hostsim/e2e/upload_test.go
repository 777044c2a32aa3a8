//go:build e2e

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// upload is a request that a replica has begun to receive, while its client has more to send.
type upload struct {
	begun    chan string // the decision, once the replica has the headers
	received chan int64  // bytes of the body, once it has all
}

func (u *upload) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.begun <- r.Header.Get("x-gateway-destination-endpoint")
	n, _ := io.Copy(io.Discard, r.Body) // a short count fails the test
	u.received <- n
}

// A body of 20 MB passes an Envoy that buffers 1 MiB: it is routed by its beginning, and the replica has the request
// before the client has sent a fortieth of it.
func TestUploadGoesOnWhileTheDecisionIsMade(t *testing.T) {
	u := &upload{begun: make(chan string, 1), received: make(chan int64, 1)}
	opt := gateway.Options{Envoy: os.Getenv("ENVOY"), Wasm: root + "build/warmroute.wasm", Config: root + "examples/envoy/endpoint.yaml"}
	byPrefix(&opt)
	for range 3 {
		server := httptest.NewServer(u)
		t.Cleanup(server.Close)
		opt.Replicas = append(opt.Replicas, strings.TrimPrefix(server.URL, "http://"))
	}
	g, err := gateway.Start(t.Context(), opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)

	const size, first = 20 << 20, 500 << 10
	body := `{"model":"m","prompt":"` + strings.Repeat("A long tale, told once more. ", size/29)
	body += strings.Repeat("x", size-len(body)-2) + `"}`
	conn, err := net.Dial("tcp", strings.TrimPrefix(g.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/completions HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s", size, body[:first])
	select {
	case endpoints := <-u.begun:
		if len(strings.Split(endpoints, ",")) != 3 {
			t.Errorf("the replica got the endpoints %q, want three", endpoints)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("after %d of %d bytes no replica has the request", first, size)
	}
	if _, err := io.WriteString(conn, body[first:]); err != nil {
		t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if got := <-u.received; response.StatusCode != 200 || got != size {
		t.Errorf("got status %d and %d bytes at the replica, want 200 and %d", response.StatusCode, got, size)
	}
	if why := fields(response.Header.Get("x-warmroute-decision")); why["reason"] != "home" {
		t.Errorf("got decision %v, want by the prompt's beginning", why)
	}
}
