//go:build e2e

package e2e

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// More kinds and flags of frames (RFC 9113, section 6).
const (
	priorityKind = 2
	resetKind    = 3
	goAwayKind   = 7
	padded       = 8
)

// oddFrames are requests over HTTP/2, each in parts that are sent 100 ms apart.
func oddFrames() map[string][][]byte {
	body := chat(story(1), "Odd?", nil)
	head := func(more ...string) []byte {
		return headersFrame(0, append([]string{":method", "POST", ":scheme", "http", ":authority", "h", ":path", "/v1/chat/completions", "content-type", "application/json"}, more...)...)
	}
	data := func(text string) []byte { return frame(dataKind, 0, []byte(text)) }
	end, trailers := frame(dataKind, endStream, nil), headersFrame(endStream, "x-sum", "5", "x-gateway-destination-endpoint", "127.0.0.1:1")
	pad := func(text string) []byte {
		return frame(dataKind, padded, slices.Concat([]byte{255}, []byte(text), make([]byte, 255)))
	}
	reset, next := frame(resetKind, 0, []byte{0, 0, 0, 8}), onStream(3, slices.Concat(head(), data(body), end))
	length := strconv.Itoa(len(body))
	steering := []string{"x-gateway-destination-endpoint", "127.0.0.1:1", "x-gateway-destination-endpoint", "127.0.0.1:2", "x-warmroute-key", ""}
	return map[string][][]byte{
		"whole":                               {slices.Concat(head("content-length", length), data(body), end)},
		"padded, and nothing but padding":     {slices.Concat(head(), pad(body[:900]), pad(""), pad(body[900:])), end},
		"empty parts":                         {slices.Concat(head(), data("")), slices.Concat(data(body[:900]), data(""), data(body[900:])), end},
		"an empty end alone":                  {head(), end},
		"trailers":                            {slices.Concat(head(), data(body)), trailers},
		"trailers behind the announced":       {slices.Concat(head("content-length", length), data(body)), trailers},
		"trailers alone":                      {head(), trailers},
		"longer than announced":               {slices.Concat(head("content-length", length), data(body)), slices.Concat(data("more"), end)},
		"shorter than announced":              {slices.Concat(head("content-length", "100000"), data(body)), end},
		"shorter than announced, by trailers": {slices.Concat(head("content-length", "100000"), data(body)), trailers},
		"steered by its client":               {slices.Concat(head(steering...), data(body), end)},
		"priorities between":                  {slices.Concat(head(), data(body[:900]), slices.Repeat(frame(priorityKind, 0, []byte{0, 0, 0, 3, 9}), 50), data(body[900:]), end)},
		"a client that goes away":             {slices.Concat(head(), data(body[:900]), onStream(0, frame(goAwayKind, 0, make([]byte, 8)))), slices.Concat(data(body[900:]), end)},
		"reset behind the headers":            {head(), slices.Concat(reset, next)},
		"reset in the middle":                 {slices.Concat(head(), data(body[:900])), slices.Concat(reset, next)},
		"reset behind the body":               {slices.Concat(head("content-length", length), data(body)), slices.Concat(reset, next)},
		"a part later than decide_timeout":    slices.Concat([][]byte{slices.Concat(head(), data(body[:900]))}, slices.Repeat([][]byte{nil}, 13), [][]byte{slices.Concat(data(body[900:]), trailers)}),
	}
}

// onStream moves frames to another stream.
func onStream(id uint32, frames []byte) []byte {
	for at := 0; at < len(frames); at += 9 + int(binary.BigEndian.Uint32(frames[at:])>>8) {
		binary.BigEndian.PutUint32(frames[at+5:], id)
	}
	return frames
}

// exchangeFrames sends parts, and tells all that comes until stream `until` ends. Headers are not told: they are packed.
func (s *stack) exchangeFrames(parts [][]byte, until uint32) string {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		return err.Error()
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	conn.Write(append([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(settingsKind, 0, nil)...))
	go func() {
		for i, part := range parts {
			if i > 0 {
				time.Sleep(100 * time.Millisecond)
			}
			conn.Write(part)
		}
	}()
	said := ""
	for {
		var head [9]byte
		if _, err := io.ReadFull(conn, head[:]); err != nil {
			return said + kind(err)
		}
		text := make([]byte, binary.BigEndian.Uint32(head[:])>>8)
		if _, err := io.ReadFull(conn, text); err != nil {
			return said + kind(err)
		}
		stream := binary.BigEndian.Uint32(head[5:])
		switch head[3] {
		case dataKind:
			said += fmt.Sprintf("%d: %s\n", stream, text)
		case resetKind, goAwayKind:
			said += fmt.Sprintf("%d: frame %d %x\n", stream, head[3], text)
		}
		if ended := head[3] <= headersKind && head[4]&endStream != 0 || head[3] == resetKind; ended && stream == until {
			return said
		}
	}
}

// Whatever frames a client of HTTP/2 sends, what its replica gets and what comes back is the same as without the module.
func TestOddFrames(t *testing.T) {
	t.Parallel()
	launch := func(plain bool) *stack {
		opt := options("endpoint", &fleet.Fleet{}, nil)
		opt.Edit = func(doc any) {
			for _, manager := range gateway.Find(doc, "http_filters") {
				if list := manager["http_filters"].([]any); plain {
					manager["http_filters"] = list[1:]
				}
			}
			for _, cluster := range gateway.Find(doc, "load_assignment") {
				cluster["typed_extension_protocol_options"] = decoded(`{"envoy.extensions.upstreams.http.v3.HttpProtocolOptions":{"@type":"type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
					"explicit_http_config":{"http_protocol_options":{"enable_trailers":true}}}}`)
			}
		}
		s, _ := launchBefore(t, opt, http.HandlerFunc(mirror))
		return s
	}
	with, plain := launch(false), launch(true)
	var all sync.WaitGroup
	var answered atomic.Int64
	for name, parts := range oddFrames() {
		all.Go(func() {
			until := uint32(1)
			if strings.HasPrefix(name, "reset") {
				until = 3
			}
			want := plain.exchangeFrames(parts, until)
			if got := with.exchangeFrames(parts, until); got != want {
				t.Errorf("%s: got %.600s\nwant %.600s", name, got, want)
			}
			if strings.Contains(want, "POST /v1/chat/completions") {
				answered.Add(1)
			}
		})
	}
	all.Wait()
	if n := answered.Load(); n < 12 {
		t.Errorf("without the module %d of 17 are answered", n)
	}
	with.atRest(t)
	if n := with.stat(t, "warmroute_endpoints_down{"); n != 0 {
		t.Errorf("%v replicas are down for what a client did", n)
	}
}
