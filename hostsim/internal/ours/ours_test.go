package ours

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warmroute/hostsim/internal/router"
	"warmroute/plugin/config"
)

const (
	module   = "../../../build/warmroute.wasm"
	requests = "../../../testdata/requests"
)

// policies are all of the module's; keyed are those that have a key of their own.
var policies, keyed = func() (all, keyed []string) {
	for p := range config.Policies {
		all = append(all, p.String())
		if p.HasKey() {
			keyed = append(keyed, p.String())
		}
	}
	return all, keyed
}()

func configuration(policy string) []byte {
	return fmt.Appendf(nil, `{"policy":%q,"seed":7,"tenant_header":"x-tenant","session_headers":["x-session-id","x-chat"],"scan_bytes":4096,
		"endpoints":["10.0.0.1:8000","10.0.0.2:8000",{"address":"10.0.0.3:8000","weight":2},"10.0.0.4:8000"]}`, policy)
}

// configurations are one for each policy, and for each way of steering by a key.
func configurations() map[string][]byte {
	all := map[string][]byte{}
	for _, policy := range policies {
		all[policy] = configuration(policy)
	}
	for live, shadow := range map[string]string{"random": "expected_ttft", "cache_aware": "prefix_hash", "prefix_hash": "lru_match"} {
		all[live+" with the shadow "+shadow] = withShadow(live, shadow)
	}
	for _, policy := range keyed {
		for _, via := range []string{"header", "property"} {
			all["hash "+policy+" "+via] = fmt.Appendf(nil, `{"policy":%q,"tenant_header":"x-tenant","steer":{"target":"hash","via":%q}}`, policy, via)
		}
	}
	return all
}

func withShadow(live, shadow string) []byte {
	return bytes.Replace(configuration(live), []byte("{"), fmt.Appendf(nil, `{"shadow":%q,`, shadow), 1)
}

// corpus is every body of testdata/requests on the path of its format, and some made longer than the caps.
func corpus(t *testing.T) []*router.Request {
	t.Helper()
	paths := map[string]string{
		"chat": "/v1/chat/completions", "completions": "/v1/completions", "responses": "/v1/responses",
		"messages": "/v1/messages", "generate": "/generate", "by_load": "/v1/embeddings",
	}
	files, err := filepath.Glob(requests + "/*.json")
	if err != nil || len(files) < 60 {
		t.Fatalf("%d bodies in %s (%v); want at least 60", len(files), requests, err)
	}
	var list []*router.Request
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		format := strings.TrimPrefix(filepath.Base(file), "broken-")
		format = strings.TrimSuffix(format[:strings.IndexAny(format, "-.")], ".json")
		path, ok := paths[format]
		if !ok {
			path = "/v1/" + format // not ours: passed
		}
		list = append(list, &router.Request{Path: path, Body: body})
	}
	for n := range 12 {
		text := strings.Repeat(fmt.Sprintf("Sentence of speaker %d. ", n%4), 10<<(n%8))
		list = append(list, &router.Request{Path: "/v1/completions", Body: fmt.Appendf(nil, `{"prompt":%q,"model":"m"}`, text)})
	}
	return list
}

// headers are a tenant's and, in any order, up to three that name a session: absent, empty, twice, in capitals.
func headers(rng *rand.Rand) [][2]string {
	list := [][2]string{{"x-tenant", []string{"", "a", "b"}[rng.IntN(3)]}}
	for range rng.IntN(4) {
		name := []string{"x-session-id", "x-chat", "X-Chat"}[rng.IntN(3)]
		list = append(list, [2]string{name, []string{"", "s", "t", "u"}[rng.IntN(4)]})
	}
	return list
}

// The same requests in the same order, with the same ones in flight, get the same decisions from both engines, however
// the bodies are cut.
func TestNativeIsWasm(t *testing.T) {
	list := corpus(t)
	for name, configuration := range configurations() {
		t.Run(name, func(t *testing.T) {
			const workers = 2
			wasm, err := NewWasm(t.Context(), module, configuration, workers, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer wasm.Close()
			native, err := NewNative(configuration, workers)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			var open [][2]router.Ticket
			steered := 0
			for i := range 3 * len(list) {
				r := *list[rng.IntN(len(list))]
				r.Headers = headers(rng)
				worker := rng.IntN(workers)
				want, err := native.Begin(worker, &r)
				if err != nil {
					t.Fatal(err)
				}
				r.Chunk = []int{0, 1, 7, 100, 3000}[rng.IntN(5)]
				got, err := wasm.Begin(worker, &r)
				if err != nil {
					t.Fatalf("request %d: %v", i, err)
				}
				if got.Decision() != want.Decision() {
					t.Errorf("request %d, %s %.60s…\n wasm   %s\n native %s", i, r.Path, r.Body, got.Decision(), want.Decision())
				}
				if !slices.Equal(got.Endpoints(), want.Endpoints()) {
					t.Errorf("request %d: wasm steers to %v, native to %v", i, got.Endpoints(), want.Endpoints())
				}
				if got.Decision() != "" {
					steered++
				}
				open = append(open, [2]router.Ticket{got, want})
				for len(open) > 6 { // some always in flight, ended in no special order
					k := rng.IntN(len(open))
					for _, ticket := range open[k] {
						router.Answer(ticket, "", 200, "application/json", []byte(`{}`))
					}
					open = append(open[:k], open[k+1:]...)
				}
			}
			if steered < 2*len(list) && !strings.HasPrefix(name, "hash") { // a key needs a prompt
				t.Errorf("only %d of %d requests were steered", steered, 3*len(list))
			}
		})
	}
}

// A bad configuration stops the start with the field's name, in both engines.
func TestBadConfiguration(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{"policy":"hash","endpoints":["10.0.0.1:80"]}`, "policy:"},
		{`{"endpoints":[]}`, "endpoints:"},
		{`{"endpoints":["10.0.0.1"]}`, "endpoints[0]"},
		{`{"endpoints":["10.0.0.1:80"],"prefix_hash":{"load_factor":0.5}}`, "prefix_hash.load_factor:"},
	} {
		if w, err := NewWasm(t.Context(), module, []byte(c.text), 1, nil); err == nil {
			w.Close()
			t.Errorf("wasm takes %s", c.text)
		} else if !strings.Contains(err.Error(), c.want) {
			t.Errorf("wasm, %s: got %v, want %s", c.text, err, c.want)
		}
		if _, err := NewNative([]byte(c.text), 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("native, %s: got %v, want %s", c.text, err, c.want)
		}
	}
}
