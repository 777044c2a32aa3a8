//go:build e2eistio

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// reply is what a client saw.
type reply struct {
	status   int
	replica  string
	decision map[string]string
	body     string
}

var client = &http.Client{Timeout: 20 * time.Second}

// ask sends a chat whose prompt begins with the system prompt. Forged are headers that it has no right to send.
func (g *gateway) ask(t *testing.T, system, user string, forged ...string) reply {
	t.Helper()
	body, err := json.Marshal(object{"model": "warmroute-sim", "max_tokens": 2, "messages": []any{
		object{"role": "system", "content": system}, object{"role": "user", "content": user}}})
	if err != nil {
		t.Fatal(err)
	}
	return g.send(t, http.MethodPost, "/v1/chat/completions", string(body), forged...)
}

func (g *gateway) send(t *testing.T, method, path, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("content-type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	req.Host = req.Header.Get("host")
	response, err := client.Do(req)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{body: err.Error()}
	}
	decision := map[string]string{}
	for pair := range strings.SplitSeq(response.Header.Get("x-warmroute-decision"), ";") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			decision[name] = value
		}
	}
	return reply{response.StatusCode, response.Header.Get("x-replica"), decision, string(answer)}
}

// inBackground makes one request after the other until stop is called, which fails the test if one of them was not answered.
func inBackground(t *testing.T, request func(n int) reply) (stop func()) {
	var wg sync.WaitGroup
	quit := make(chan struct{})
	sent, failed := 0, map[string]int{}
	wg.Go(func() {
		for ; ; sent++ {
			select {
			case <-quit:
				return
			default:
			}
			if r := request(sent); r.status != http.StatusOK {
				failed[fmt.Sprint(r.status, " ", r.body)]++
			}
		}
	})
	return func() {
		t.Helper()
		close(quit)
		wg.Wait()
		if t.Logf("%d requests in the background", sent); len(failed) > 0 {
			t.Errorf("of %d requests in the background failed %v", sent, failed)
		}
	}
}
