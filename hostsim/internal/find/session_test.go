package find

import (
	"slices"
	"strings"
	"testing"

	"warmroute/hostsim/internal/loose"
	"warmroute/plugin/config"
)

// A session is named by a header in whatever form a log has it.
func TestSessionOfHeaders(t *testing.T) {
	const body = `{"model":"m","messages":[{"role":"user","content":"a"}]}`
	for _, record := range []string{
		`{"headers":{"X-Session-Id":"s"},"body":` + body + `}`,
		`{"headers":{"X-Session-Id":["s"]},"body":` + body + `}`,
		`{"request":{"headers":{"x-session-id":"s"},"body":` + body + `}}`,
		`{"request":{"method":"POST","url":"http://a/v1/chat/completions","headers":[{"name":"Host","value":"a"},{"name":"X-Session-Id","value":"s"}],"postData":{"text":` + quoted(body) + `}}}`,
		`{"request":{"headers":[{"key":"x-session-id","rawValue":"s"}],"body":` + quoted(body) + `}}`,
	} {
		found := Line([]byte(record), func(string, []byte) error { return nil })
		if len(found) != 1 || found[0].Call == nil || found[0].Call.Session != "xsessionid s" {
			t.Errorf("%s: %+v", record, found)
		}
	}
}

// Helicone has the session among a request's properties.
func TestSessionOfProperties(t *testing.T) {
	found := Line([]byte(`{"request_properties":{"Helicone-Session-Id":"s"},"request_body":{"model":"m","prompt":"a"}}`), nil)
	if len(found) != 1 || found[0].Call == nil || found[0].Call.Session != "heliconesessionid s" {
		t.Errorf("%+v", found)
	}
}

func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `\"`) + `"` }

// A log names sessions as the gateway does.
func TestSessionHeadersAreKnown(t *testing.T) {
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80"]}`))
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, name := range cfg.SessionHeaders {
		i := slices.Index(sessionNames, loose.Plain(name))
		if i <= at {
			t.Errorf("%s is not known, or not in the module's order", name)
		}
		at = max(at, i)
	}
}
