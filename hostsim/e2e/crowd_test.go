//go:build e2e

package e2e

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// crowd is clients that do all that clients do, at random, until stop.
func (s *stack) crowd(ctx context.Context, clients int, seed uint64) (wait func() map[string]int) {
	ways := slices.Sorted(maps.Keys(ways))
	var all sync.WaitGroup
	var lock sync.Mutex
	said := map[string]int{}
	h2 := &http.Transport{Protocols: new(http.Protocols)}
	h2.Protocols.SetUnencryptedHTTP2(true)
	for c := range clients {
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(c)))
			for ctx.Err() == nil {
				how := s.unlucky(ctx, random, h2, ways[random.IntN(len(ways))])
				lock.Lock()
				said[how]++
				lock.Unlock()
			}
		})
	}
	return func() map[string]int {
		all.Wait()
		h2.CloseIdleConnections()
		return said
	}
}

// unlucky sends one request, or a part of one.
func (s *stack) unlucky(ctx context.Context, random *rand.Rand, h2 *http.Transport, way string) string {
	body := chat(story(random.IntN(20)), strings.Repeat("Again. ", random.IntN(3000)), map[string]any{"stream": random.IntN(2) == 0, "model": fmt.Sprint("m", random.IntN(3)), "user": fmt.Sprint("u", random.IntN(1000))})
	if random.IntN(10) == 0 {
		body = body[:random.IntN(len(body))]
	}
	if random.IntN(3) == 0 { // HTTP/2
		life, cancel := context.WithTimeout(ctx, time.Duration(random.IntN(300)+1)*time.Millisecond)
		defer cancel()
		var from io.Reader = strings.NewReader(body)
		if random.IntN(2) == 0 {
			from = &dripping{text: body, pause: time.Duration(random.IntN(20)) * time.Millisecond, size: 1 + random.IntN(2000)}
		}
		request, err := http.NewRequestWithContext(life, http.MethodPost, s.URL+"/v1/chat/completions", from)
		if err != nil {
			return err.Error()
		}
		if random.IntN(2) == 0 {
			request.Trailer = http.Header{"X-End": {"1"}}
			request.ContentLength = -1
		}
		request.Header.Set("content-type", "application/json")
		request.Header.Set("x-way", way)
		response, err := h2.RoundTrip(request)
		if err != nil {
			return "h2 left"
		}
		defer response.Body.Close()
		if random.IntN(2) == 0 {
			io.CopyN(io.Discard, response.Body, int64(random.IntN(100)))
			return "h2 left in the answer"
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			return "h2 cut"
		}
		return fmt.Sprint("h2 ", response.StatusCode)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		return "no connection"
	}
	defer conn.Close()
	if random.IntN(2) == 0 {
		conn.(*net.TCPConn).SetLinger(0)
	}
	conn.SetDeadline(time.Now().Add(2 * time.Second))
	text := strings.Replace(wireForm("/v1/chat/completions", body), "host: h", "host: h\r\nx-way: "+way, 1)
	upTo := len(text)
	if random.IntN(3) == 0 {
		upTo = random.IntN(len(text))
	}
	for from := 0; from < upTo; {
		size := min(1+random.IntN(4000), upTo-from)
		io.WriteString(conn, text[from:from+size])
		if from += size; random.IntN(4) == 0 {
			time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
		}
	}
	if upTo < len(text) {
		return "left in the request"
	}
	if random.IntN(4) == 0 {
		time.Sleep(time.Duration(random.IntN(50)) * time.Millisecond)
		return "left"
	}
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return "no answer"
	}
	defer response.Body.Close()
	if random.IntN(3) == 0 {
		io.CopyN(io.Discard, response.Body, int64(random.IntN(100)))
		return "left in the answer"
	}
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return "cut"
	}
	return fmt.Sprint(response.StatusCode)
}

// dripping is a body that comes slowly.
type dripping struct {
	text  string
	size  int
	pause time.Duration
}

func (d *dripping) Read(p []byte) (int, error) {
	if d.text == "" {
		return 0, io.EOF
	}
	time.Sleep(d.pause)
	n := copy(p[:min(d.size, len(p))], d.text)
	d.text = d.text[n:]
	return n, nil
}

func (d *dripping) Close() error { return nil }
