//go:build e2e

package e2e

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/bound"
	"warmroute/hostsim/internal/gateway"
	"warmroute/hostsim/internal/trace"
)

// A stock Envoy's access log carries the records, as text and as JSON; what repeats in them is what the replicas report to
// have found or could have; and no word of the prompts is in the log.
func TestRecord(t *testing.T) {
	for _, form := range []string{"text", "json"} {
		t.Run(form, func(t *testing.T) {
			s := launch(t, "endpoint", func(o *gateway.Options) {
				o.Concurrency = 2
				o.Plugin = map[string]any{"record": true, "record_per_second": 1000}
				if form == "json" { // as advise --record prints it
					o.Plugin["policy"] = "join_shortest_queue"
				}
				o.Edit = func(doc any) {
					for _, format := range gateway.Find(doc, "text_format_source") {
						const record = "%FILTER_STATE(wasm.warmroute_record:PLAIN)%"
						if form == "text" {
							format["text_format_source"] = map[string]any{"inline_string": "%START_TIME% %PATH% " + record + "\n"}
							continue
						}
						delete(format, "text_format_source")
						format["json_format"] = map[string]any{"start_time": "%START_TIME%", "path": "%PATH%", "record": record}
					}
				}
			})
			const chats, turns = 6, 5 // up to 6.8 KB: the blocks beyond 4 KB are of 1 KB, and a turn adds less
			for turn := range turns {
				for c := range chats {
					body := chat(story(c%2), fmt.Sprintf("Question %d of chat %d. ", 0, c)+strings.Repeat(fmt.Sprintf("Marmalade %d. ", c), 60*(turn+1)), nil)
					if r := s.post(t, "/v1/chat/completions", body, "x-session-id", fmt.Sprint("chat ", c)); r.status != 200 {
						t.Fatalf("status %d", r.status)
					}
				}
			}
			var log string
			for wait := time.Now().Add(30 * time.Second); strings.Count(log, "wr1;") < chats*turns && time.Now().Before(wait); time.Sleep(50 * time.Millisecond) {
				log = s.AccessLog()
			}
			for _, word := range []string{"Marmalade", "Question", "river", "chat 1", "x-session-id"} {
				if strings.Contains(log, word) {
					t.Errorf("the log has %q:\n%s", word, log)
				}
			}
			got, err := trace.Read(strings.NewReader(log), "access.log", trace.Options{})
			if err != nil {
				t.Fatalf("%v\n%s", err, log)
			}
			if len(got.Requests) != chats*turns || got.Sessions != chats || got.Missed != 0 || got.Guessed != 0 {
				t.Errorf("%d requests in %d sessions, %d missed, %d guessed; want %d in %d\n%s", len(got.Requests), got.Sessions, got.Missed, got.Guessed, chats*turns, chats, log)
			}
			share, err := bound.Infinite(got)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%.3f repeat, as far as the records show", share)
			eventually(t, "all answers are counted", func() bool { return s.stat(t, "warmroute_answers_total") == chats*turns })
			prompts, cached := s.stat(t, "warmroute_prompt_tokens_total"), s.stat(t, "warmroute_cached_tokens_total")
			if hit := cached / prompts; share < hit-0.02 || share > 0.95 {
				t.Errorf("%.3f of the recorded tokens repeat, the replicas found %.3f", share, hit)
			} else if said := float64(got.Cached) / float64(got.Counted); math.Abs(said-hit) > 0.001 {
				t.Errorf("the records say that the replicas found %.3f, the metrics %.3f", said, hit)
			}
			if form == "text" && os.Getenv("UPDATE_RECORD_LOG") != "" {
				if err := os.WriteFile(root+"testdata/logs/record.log", []byte(log), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
