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
	opt := options("endpoint", &fleet.Fleet{}, map[string]any{"policy": "prefix_hash"})
	s, _ := launchBefore(t, opt, u)

	const size, first = 20 << 20, 500 << 10
	body := `{"model":"m","prompt":"` + strings.Repeat("A long tale, told once more. ", size/29)
	body += strings.Repeat("x", size-len(body)-2) + `"}`
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
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

// Bodies much larger than Envoy's connection buffer pass, whatever part of them comes first: a decision that falls late
// finds all that was read until then in the route's buffer. Too small a one is a 413.
func TestLargeBodies(t *testing.T) {
	for _, example := range []string{"endpoint", "cluster"} {
		t.Run(example, func(t *testing.T) {
			s, _ := launchSinks(t, example, map[string]any{"policy": "prefix_hash"})
			t.Run("a long prompt in two bursts", s.longPrompt)
			t.Run("an image in a chat", s.image)
		})
	}
}

func (s *stack) longPrompt(t *testing.T) {
	body := `{"model":"m","prompt":"` + strings.Repeat("A long tale of many words, told once more. ", 4_000_000/43) + `"}`
	for i := range 12 {
		pause := time.Duration(i) * time.Millisecond
		r := s.parts(t, "/v1/completions", pause, body[:30_000], body[30_000:])
		if r.status != 200 || r.header.Get("x-received") != whole(body) || r.decision["reason"] != "home" {
			t.Errorf("with a pause of %s: got status %d, decision %v, and the replica received %q; want all %s by the prompt's home",
				pause, r.status, r.decision, r.header.Get("x-received"), whole(body))
		}
	}
}

func (s *stack) image(t *testing.T) {
	const text = `{"type":"text","text":"What is on this picture? Say it in one sentence, please."}`
	image := `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat("iVBORw0KGgoAAAAN", 1_200_000/16) + `"}}`
	for _, c := range []struct{ name, content string }{
		{"text, then image", text + "," + image},
		{"image, then text", image + "," + text},
		{"image, text, image", image + "," + text + "," + image},
	} {
		body := `{"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":[` + c.content + `]}]}`
		for range 3 {
			r := s.parts(t, "/v1/chat/completions", 3*time.Millisecond, body[:30_000], body[30_000:])
			if r.status != 200 || r.header.Get("x-received") != whole(body) || r.decision["reason"] != "home" {
				t.Errorf("%s: got status %d, decision %v, and the replica received %q; want all %s by the prompt's home",
					c.name, r.status, r.decision, r.header.Get("x-received"), whole(body))
			}
		}
	}
}

// One of three replicas is dead: a body of 2 MB that was on its way there is sent to another, and no client notices.
func TestLargeBodiesAreRetried(t *testing.T) {
	for _, example := range []string{"endpoint", "cluster"} {
		t.Run(example, func(t *testing.T) {
			s, replicas := launchSinks(t, example, map[string]any{"policy": "prefix_hash"})
			replicas[1].Close()
			for n := range 24 {
				body := chat(story(n), strings.Repeat("word ", 2_000_000/5), nil)
				r := s.post(t, "/v1/chat/completions", body)
				if r.status != 200 || r.header.Get("x-received") != whole(body) {
					t.Errorf("request %d: got status %d, decision %v, and the replica received %q; want 200 and %s",
						n, r.status, r.decision, r.header.Get("x-received"), whole(body))
				}
			}
			eventually(t, "the access log has a request that was sent twice", func() bool {
				return strings.Contains(s.AccessLog(), " attempts=2 ")
			})
		})
	}
}
