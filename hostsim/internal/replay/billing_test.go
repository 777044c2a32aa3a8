package replay

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// Sessions of Claude Code, whose first line has a new hash in each request, are routed and found as if it had none.
func TestBillingChangesNothing(t *testing.T) {
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	profile, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]func(turn int, messages string) string{
		"messages": func(n int, messages string) string {
			return fmt.Sprintf(`{"model":"m","system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2.1; cch=%05x;"},{"type":"text","text":"%s"}],
				"tools":[{"name":"f"}],"messages":[%s]}`, n, strings.Repeat("Be brief. ", 400), messages)
		},
		"chat": func(n int, messages string) string {
			return fmt.Sprintf(`{"model":"m","messages":[{"role":"system","content":"x-anthropic-billing-header: cch=%05x;\n%s"},%s]}`, n, strings.Repeat("Be brief. ", 400), messages)
		},
	}
	for format, body := range bodies {
		run := func(changes int) *Result {
			tr := &trace.Trace{Sessions: 9}
			messages := make([]string, tr.Sessions)
			for i := range 12 * tr.Sessions {
				chat, turn := i%tr.Sessions, i/tr.Sessions
				messages[chat] += fmt.Sprintf(`{"role":"user","content":"%d, %d. %s"}`, chat, turn, strings.Repeat("Tell me more. ", 200))
				r := trace.Request{At: int64(i) * 20e6, Session: chat, After: -1, Think: 1e8, OutputTokens: 8,
					Path: map[string]string{"messages": "/v1/messages", "chat": "/v1/chat/completions"}[format], Body: []byte(body(changes*i*104729&0xfffff, messages[chat]))}
				if turn > 0 {
					r.After = i - tr.Sessions
				}
				tr.Requests = append(tr.Requests, r)
				messages[chat] += `,{"role":"assistant","content":"More."},`
			}
			fitted, err := Fit(profile, tr, 0)
			if err != nil {
				t.Fatal(err)
			}
			return result(t, Options{Trace: tr, Policy: "cache_aware", Replicas: 8, Workers: 2, Gateways: 1, Profile: fitted, Speed: 1, Seed: 1, Closed: true, Detail: true,
				Engine: func(configuration []byte, workers int) (router.Engine, error) {
					return ours.StartWasm(t.Context(), loaded, configuration, workers, nil)
				}})
		}
		constant, changing := run(0), run(1)
		if !reflect.DeepEqual(changing, constant) || constant.TokenHitRatio < .7 {
			t.Errorf("%s: found %.3f of the tokens, %.3f where the line is constant, want as much", format, changing.TokenHitRatio, constant.TokenHitRatio)
		}
		t.Logf("%s: %.3f of the tokens found", format, changing.TokenHitRatio)
	}
}
