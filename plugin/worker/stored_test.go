package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/why"
)

// respond is a turn of the Responses API that is answered with a response of that name and usage.
func respond(t *testing.T, w *Worker, cluster, body, name string, tokens, cached int, now int64) *Exchange {
	t.Helper()
	x, code := send(w, "/v1/responses", cluster, body, now)
	if code != "" {
		t.Fatalf("code %q", code)
	}
	x.Headers(Server{Address: x.Server()}, 200, "application/json", now)
	x.Chunk(now)
	x.Read(fmt.Appendf(nil, `{"id":"%s","object":"response","usage":{"input_tokens":%d,"input_tokens_details":{"cached_tokens":%d}}}`, name, tokens, cached))
	x.Complete()
	x.End(now, false)
	return x
}

// A request that continues a response shows its last turn alone, and its usage tells of all of them.
func TestContinuedPromptsTeachNothing(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"scrape":{"path":""}}`, memstore.New())
	text := strings.Repeat("Some text. ", 100)
	for i := range 20 {
		respond(t, w, "", `{"model":"m","input":"`+text+`","previous_response_id":"resp_0"}`, fmt.Sprint("resp_", i+1), 20_000, 19_700, int64(i+1)*second)
	}
	send(w, "/v1/responses", "", `{"model":"m","input":"`+text+`"}`, 100*second)
	x, _ := send(w, "/v1/responses", "", `{"model":"m","input":"`+text+`"}`, 100*second)
	if got := x.Decision().Flight.Tokens; got > 400 {
		t.Errorf("a prompt of 1,100 bytes is taken for %.0f tokens", got)
	}
}

// A body whose prompt cannot be used still names the response that it continues, and its answer has a name.
func TestStoredWithoutAPrompt(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80"],"policy":"round_robin","scrape":{"path":""}}`, memstore.New())
	home := respond(t, w, "", `{"model":"m","input":"Hi"}`, "resp_1", 9, 0, second).Address()
	for i, input := range []string{`[]`, `"Hi"`, `[]`, `[]`} {
		name := fmt.Sprint("resp_", i+2)
		x := respond(t, w, "", `{"model":"m","input":`+input+`,"previous_response_id":"resp_1"}`, name, 9, 0, second)
		if x.Address() != home {
			t.Errorf("input %s: at %s (%s), want %s", input, x.Address(), x.Describe(), home)
		}
		if w.pools[0].known.Keeper([]byte(name)) < 0 {
			t.Errorf("input %s: nobody keeps the answer", input)
		}
	}
	var x Exchange // its body comes too slowly
	x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/responses", ContentType: "application/json"})
	x.Write([]byte(`{"previous_response_id":"resp_1","model":"m","input":"Hi`))
	if x.ByLoad(why.Slow); x.Decide(true, second) != "" || x.Address() != home {
		t.Errorf("a slow body: at %s (%s), want %s", x.Address(), x.Describe(), home)
	}
}
