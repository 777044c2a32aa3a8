//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"warmroute/hostsim/internal/fleet"
)

// A response that its replica breaks off is not one that its client has left: else the alerts and doctor see nothing of a replica that breaks
// each of them, and its clients are blamed.
func TestResponsesThatAreBrokenOff(t *testing.T) {
	t.Parallel()
	const begun = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"
	const part = "data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\n\n"
	chunk := fmt.Sprintf("transfer-encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(part), part)
	ways := map[string]struct {
		text  string
		reset bool
	}{
		"reset":                        {begun + chunk, true},
		"closed":                       {begun + chunk, false},
		"closed within a chunk":        {begun + chunk + "50\r\ndata: ", false},
		"no chunk":                     {begun + chunk + "zz\r\n\r\n", false},
		"shorter than it said":         {begun + "content-length: 1000\r\n\r\n" + part, false},
		"reset before the first token": {begun + "transfer-encoding: chunked\r\n\r\n", true},
	}
	s, _ := launchBefore(t, options("endpoint", &fleet.Fleet{}, map[string]any{"policy": "round_robin"}), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		way := ways[r.Header.Get("x-way")]
		if way.text == "" { // until its client leaves
			io.WriteString(w, part)
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(conn, way.text)
		if tcp, ok := conn.(*net.TCPConn); ok && way.reset {
			tcp.SetLinger(0)
		}
		conn.Close()
	}))
	ask := func(way string) {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/v1/chat/completions", strings.NewReader(chat(story(1), way, streamed)))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("content-type", "application/json")
		request.Header.Set("x-way", way)
		response, err := client.Do(request)
		if err != nil {
			return // it was broken off before its headers were passed on
		}
		defer response.Body.Close()
		if way == "" {
			response.Body.Read(make([]byte, 8))
			return
		}
		if text, err := io.ReadAll(response.Body); err == nil {
			t.Errorf("%s: the client has a whole response: %q", way, text)
		}
	}
	counted := func(outcome string) float64 { return s.stat(t, `warmroute_answers_total{outcome="`+outcome+`"`) }
	n := 0.0
	for way := range ways {
		ask(way)
		n++
		eventually(t, way+" counts as broken", func() bool { return counted("broken") == n })
	}
	ask("")
	eventually(t, "the one that its client left counts as cancelled", func() bool { return counted("cancelled") == 1 })
	if all := s.stat(t, "warmroute_answers_total"); all != n+1 {
		t.Errorf("%v requests have ended, want %v", all, n+1)
	}
	s.atRest(t)
}
