//go:build e2e

package e2e

import (
	"encoding/binary"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A request over HTTP/2 may wait as soon as its body is as long as its content-length. Whatever ends it then, and whether it does so
// before or after there is room, it goes steered.
func TestWaitsBeforeItsEnd(t *testing.T) {
	for _, example := range []string{"endpoint", "property"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			for _, c := range []struct {
				name  string
				end   []byte
				early bool
			}{
				{"trailers before there is room", headersFrame(endStream, "x-trailer", "1"), true},
				{"trailers after", headersFrame(endStream, "x-trailer", "1"), false},
				{"an empty end before there is room", frame(dataKind, endStream, nil), true},
				{"an empty end after", frame(dataKind, endStream, nil), false},
			} {
				s, usage, crowd := launchScarce(t, example)
				waiting := func() float64 { return s.stat(t, "warmroute_held{") }
				crowd()
				sent, answered := 0, strings.Count(s.AccessLog(), ";held_ms=")
				var conn net.Conn
				eventually(t, "a request waits before its end", func() bool {
					sent++
					conn = s.upload(t, "/v1/chat/completions", chat(story(1000+sent), "Hello.", streamed))
					for range 20 {
						if time.Sleep(100 * time.Millisecond); waiting() > 0 {
							return true
						}
					}
					conn.Close()
					return false
				})
				if c.early {
					conn.Write(c.end)
					time.Sleep(time.Second)
				}
				usage.Store(5)
				if !c.early {
					eventually(t, c.name+": nobody waits", func() bool { return waiting() == 0 })
					conn.Write(c.end)
				}
				eventually(t, c.name+": it is answered, and was held", func() bool {
					return strings.Count(s.AccessLog(), ";held_ms=") > answered
				})
				time.Sleep(100 * time.Millisecond) // for what might be sent after the end
				if n := s.stat(t, `envoy_cluster_upstream_cx_protocol_error{envoy_cluster_name="vllm"`); n != 0 {
					t.Errorf("%s: %v connections carried what is no request: a body was sent twice", c.name, n)
				}
			}
		})
	}
}

// Kinds and flags of frames (RFC 9113, section 6).
const (
	dataKind     = 0
	headersKind  = 1
	settingsKind = 4
	endStream    = 1
	endHeaders   = 4

	frameBytes = 16 << 10
)

// frame is a frame of the connection's first stream, settings apart (RFC 9113, section 4.1).
func frame(kind, flags byte, payload []byte) []byte {
	stream := uint32(1)
	if kind == settingsKind {
		stream = 0
	}
	b := append(binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind)), flags)
	return append(binary.BigEndian.AppendUint32(b, stream), payload...)
}

// headersFrame has names and values in turn, each as a literal of at most 126 bytes (RFC 7541, section 6.2.2).
func headersFrame(flags byte, pairs ...string) []byte {
	var b []byte
	for i, text := range pairs {
		if i%2 == 0 {
			b = append(b, 0)
		}
		b = append(append(b, byte(len(text))), text...)
	}
	return frame(headersKind, flags|endHeaders, b)
}

// upload sends a request over HTTP/2, up to its end.
func (s *stack) upload(t *testing.T, path, body string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	b := append([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(settingsKind, 0, nil)...)
	b = append(b, headersFrame(0, ":method", "POST", ":scheme", "http", ":authority", "h", ":path", path,
		"content-type", "application/json", "content-length", strconv.Itoa(len(body)))...)
	for len(body) > 0 {
		n := min(len(body), frameBytes)
		b = append(b, frame(dataKind, 0, []byte(body[:n]))...)
		body = body[n:]
	}
	if _, err := conn.Write(b); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, conn)
	return conn
}
