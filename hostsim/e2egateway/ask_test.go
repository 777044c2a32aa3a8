//go:build e2egateway

package e2egateway

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

type reply struct {
	status                  int
	replica, decision, text string
}

// ask sends a prompt of many cache blocks that begins with its system text.
func ask(url, system, user string, headers ...string) (reply, error) {
	body := fmt.Sprintf(`{"model":%q,"max_tokens":2,"messages":[{"role":"system","content":%q},{"role":"user","content":%q}]}`,
		model, system+strings.Repeat(" The river ran past "+system+" and on to the sea.", 60), user)
	return send(url+"/v1/chat/completions", body, headers...)
}

// send sends a body, and returns what came back.
func send(url, body string, headers ...string) (reply, error) {
	req, err := http.NewRequest(http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("content-type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	response, err := (&http.Client{Timeout: 20 * time.Second}).Do(req)
	if err != nil {
		return reply{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return reply{response.StatusCode, response.Header.Get("x-replica"), response.Header.Get("x-warmroute-decision"), string(text)}, err
}

// post is send where there is to be an answer.
func post(t *testing.T, url, body string) reply {
	t.Helper()
	r, err := send(url, body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func get(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
