//go:build e2e

package e2e

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// mirror is a replica that says what it was sent, and answers in the way that a request's x-act asks for.
func mirror(w http.ResponseWriter, r *http.Request) {
	act := r.Header.Get("x-act")
	if act == "early" { // before the body has come
		w.WriteHeader(413)
		io.WriteString(w, "too much")
		return
	}
	n, digest := receive(w, r)
	w.Header().Del("x-received")
	var text strings.Builder
	fmt.Fprintf(&text, "%s %s %d %s\n", r.Method, r.RequestURI, n, digest[:8])
	for _, headers := range []http.Header{r.Header, r.Trailer} {
		var names []string
		for name := range headers {
			if !strings.HasPrefix(name, "X-Request-Id") && !strings.HasPrefix(name, "X-Gateway-") && !strings.HasPrefix(name, "X-Warm") && !strings.HasPrefix(name, "X-Envoy") &&
				!strings.HasPrefix(name, "X-Forwarded") {
				names = append(names, name)
			}
		}
		sort.Strings(names)
		for _, name := range names {
			fmt.Fprintf(&text, "%s=%q\n", name, headers[name])
		}
	}
	switch act {
	case "103":
		w.Header().Set("link", "</x>")
		w.WriteHeader(103)
		w.WriteHeader(103)
	case "204", "304":
		w.WriteHeader(map[string]int{"204": 204, "304": 304}[act])
		return
	case "gzip":
		w.Header().Set("content-encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		io.WriteString(z, `{"usage":{"prompt_tokens":7}}`)
		return
	case "trailers":
		w.Header().Set("trailer", "x-end")
		defer w.Header().Set("x-end", "1")
	case "empty":
		w.Header().Set("content-length", "0")
		return
	case "long":
		text.WriteString(strings.Repeat("long ", 200_000))
	case "cut":
		w.Header().Set("content-length", "1000")
		io.WriteString(w, "cut")
		http.NewResponseController(w).Flush()
		reset(w)
		return
	}
	io.WriteString(w, text.String())
}

// send sends an odd request and tells what came back.
func (o odd) send(t *testing.T, s *stack) string {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(2 * time.Second))
	go func() {
		for i, part := range o.parts {
			if i > 0 {
				time.Sleep(100 * time.Millisecond)
			}
			io.WriteString(conn, part)
		}
	}()
	method, _, _ := strings.Cut(o.parts[0], " ")
	var said strings.Builder
	for reader := bufio.NewReader(conn); ; {
		response, err := http.ReadResponse(reader, &http.Request{Method: strings.TrimSpace(method)})
		if err != nil {
			fmt.Fprintf(&said, "no answer: %s", kind(err))
			return said.String()
		}
		fmt.Fprintf(&said, "%d %s\n", response.StatusCode, response.Header.Get("content-encoding"))
		if response.StatusCode < 200 && response.StatusCode != 101 {
			continue
		}
		if response.StatusCode == 101 {
			return said.String()
		}
		body, err := io.ReadAll(response.Body)
		fmt.Fprintf(&said, "%s\n%v %v", body, kind(err), response.Trailer)
		return said.String()
	}
}

// kind is an error without what differs from time to time.
func kind(err error) string {
	var timeout net.Error
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || strings.Contains(err.Error(), "reset"):
		return "closed"
	}
	return err.Error()
}

// Whatever a request is like, what its replica gets, and what its client does, is the same as without the module.
func TestOddRequests(t *testing.T) {
	t.Parallel()
	for _, example := range []string{"endpoint", "property"} {
		t.Run(example, func(t *testing.T) {
			launch := func(plain bool) *stack {
				opt := options(example, &fleet.Fleet{}, map[string]any{"session_headers": []string{"x-session-id"}, "tenant_header": "x-tenant"})
				opt.Edit = func(doc any) {
					for _, manager := range gateway.Find(doc, "http_filters") {
						if list := manager["http_filters"].([]any); plain {
							manager["http_filters"] = list[1:]
						}
						manager["http_protocol_options"] = map[string]any{"accept_http_10": true, "enable_trailers": true, "default_host_for_http_10": "h"}
						manager["upgrade_configs"] = []any{map[string]any{"upgrade_type": "websocket"}}
					}
					for _, cluster := range gateway.Find(doc, "load_assignment") {
						cluster["typed_extension_protocol_options"] = map[string]any{"envoy.extensions.upstreams.http.v3.HttpProtocolOptions": map[string]any{
							"@type":                "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
							"explicit_http_config": map[string]any{"http_protocol_options": map[string]any{"enable_trailers": true}}}}
					}
				}
				s, _ := launchBefore(t, opt, http.HandlerFunc(mirror))
				return s
			}
			with, plain := launch(false), launch(true)
			var all sync.WaitGroup
			places := make(chan bool, 8)
			for _, o := range oddRequests() {
				places <- true
				all.Go(func() {
					if want, got := o.send(t, plain), o.send(t, with); got != want {
						t.Errorf("%s: got %.600s\nwant %.600s", o.name, got, want)
					}
					<-places
				})
			}
			all.Wait()
			with.atRest(t)
		})
	}
}
