package route

import (
	"fmt"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/prompt"
	"warmroute/plugin/why"
)

// The key for the proxy's own ring is the one that our ring decides by.
func TestPickKeyIsTheRingsKey(t *testing.T) {
	for _, policy := range []string{"session_affinity", "prefix_key", "prefix_hash"} {
		cfg, err := config.Parse(fmt.Appendf(nil, `{"policy":%q,"endpoints":["10.0.0.1:80","10.0.0.2:80"],"seed":1,"prefix_hash":{"prefix_chars":20}}`, policy))
		if err != nil {
			t.Fatal(err)
		}
		r := newRig(&cfg, 1)
		seen := map[uint64]bool{}
		for i := range 9 {
			req := &decision.Request{
				Prompt: &prompt.Prompt{
					Model: fmt.Append(nil, "model ", i%3), Text: fmt.Appendf(nil, "system %d, and a user who asks on and on", i/3), SystemLen: 9,
				},
				Session: fmt.Append(nil, "session ", i/3), Tenant: []byte("t"),
			}
			var want, got decision.Decision
			r.Pick(req, &want)
			if code := PickKey(&cfg, req, &got); code != "" || !got.HasKey || got.Key != want.Key || got.Reason != decision.ByKey {
				t.Errorf("%s: got key %x (%q), want the ring's %x", policy, got.Key, code, want.Key)
			}
			seen[got.Key] = true
		}
		if len(seen) != 9 {
			t.Errorf("%s: 9 models and beginnings have %d keys", policy, len(seen))
		}
	}
}

func TestPickKeySaysWhatIsMissing(t *testing.T) {
	bare := &prompt.Prompt{Text: []byte("hello")}
	for _, c := range []struct {
		policy config.Policy
		req    decision.Request
		want   why.Code
	}{
		{config.PolicySessionAffinity, decision.Request{Prompt: bare}, "no_session"},
		{config.PolicyPrefixKey, decision.Request{Prompt: bare}, "no_system"},
		{config.PolicyPrefixHash, decision.Request{Why: "broken_json"}, "broken_json"},
	} {
		var d decision.Decision
		if got := PickKey(&config.Config{Pool: config.Pool{Policy: c.policy}}, &c.req, &d); got != c.want || d.HasKey {
			t.Errorf("%v: got %q, a key %v; want none because of %q", c.policy, got, d.HasKey, c.want)
		}
	}
}
