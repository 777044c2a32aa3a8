//go:build e2evllm

package e2evllm

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"
)

// TestStoredResponses: a conversation that names the response before goes on at the server that keeps it; another one answers 404. So does
// who asks for a response by its name.
func TestStoredResponses(t *testing.T) {
	s := launch(t, nil)
	for c := range 4 {
		previous, home := "", ""
		for turn := range 3 {
			body := map[string]any{"model": "tiny", "input": story(fmt.Sprint(c, turn)), "max_output_tokens": 8, "stream": turn == 1}
			if previous != "" {
				body["previous_response_id"] = previous
			}
			r := s.post(t, "/v1/responses", body)
			if r.status != 200 {
				t.Fatalf("conversation %d, turn %d: status %d, %.300s; %v", c, turn, r.status, r.body, r.decision)
			}
			if turn > 0 && (r.decision["reason"] != "stored" || r.decision["endpoint"] != home) {
				t.Errorf("conversation %d, turn %d: %v, is kept at %s", c, turn, r.decision, home)
			}
			home = r.decision["endpoint"]
			text := r.body
			if len(r.parts) > 0 {
				text = r.parts[0]
			}
			var response struct {
				ID       string
				Response struct{ ID string }
			}
			if err := json.Unmarshal([]byte(text), &response); err != nil || response.ID+response.Response.ID == "" {
				t.Fatalf("conversation %d, turn %d: %v: %.300s", c, turn, err, text)
			}
			previous = response.ID + response.Response.ID
		}
		for _, server := range append(s.servers, "") {
			url, want := "http://"+server, http.StatusNotFound
			switch server {
			case home:
				want = http.StatusOK
			case "": // by the gateway
				url, want = s.URL, http.StatusOK
			}
			response, err := client.Get(url + "/v1/responses/" + previous)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, response.Body)
			response.Body.Close()
			if response.StatusCode != want {
				t.Errorf("GET %s/v1/responses/%s: status %d, want %d", url, previous, response.StatusCode, want)
			}
		}
	}
}
