//go:build e2e

package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// A client whose upload breaks off in its middle, when the endpoint has been chosen, is answered by Envoy: 400 or 408. That is no answer of the replica: it would
// be a sign of life of one that hangs, and a refusal of the prompt.
func TestUploadsThatAreBrokenOff(t *testing.T) {
	t.Parallel()
	opt := options("endpoint", &fleet.Fleet{}, map[string]any{"scrape": map[string]any{"cluster": "vllm", "path": ""}})
	opt.Edit = func(doc any) {
		for _, manager := range gateway.Find(doc, "http_filters") {
			manager["request_timeout"] = "3s"
		}
	}
	s, _ := launchBefore(t, opt, http.HandlerFunc(sink))
	const most = 5 << 19 // 2.5 MiB: above scan_bytes
	begun := chat(strings.Repeat(story(1), most/len(story(1))+1), "Hello.", nil)[:most]
	for i, c := range []struct{ then, want string }{{"zz\r\n", " 400 "}, {"", " 408 "}} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(20 * time.Second))
		fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(begun), begun)
		eventually(t, "the endpoint is chosen", func() bool { return s.stat(t, "warmroute_requests_total") == float64(i+1) })
		io.WriteString(conn, c.then)
		line, err := bufio.NewReader(conn).ReadString('\n')
		if err != nil || !strings.Contains(line, c.want) {
			t.Errorf("%q (%v), want%s", line, err, c.want)
		}
	}
	s.atRest(t)
	if n := s.stat(t, `warmroute_answers_total{outcome="cancelled"`); n != 2 {
		t.Errorf("%v have no answer of a replica, want 2", n)
	}
}
