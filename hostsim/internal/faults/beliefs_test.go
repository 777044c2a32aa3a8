package faults

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"warmroute/hostsim/internal/host"
)

const second = int64(1e9)

// module is the compiled module, or another one to compare with.
func module(t testing.TB) *host.Module {
	t.Helper()
	file := "../../../build/warmroute.wasm"
	if other := os.Getenv("WARMROUTE_WASM"); other != "" {
		file = other
	}
	code, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (./build.sh build makes it)", err)
	}
	m, err := host.Compile(t.Context(), code)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close(t.Context()) })
	return m
}

func start(t testing.TB, m *host.Module, o Options) *World {
	t.Helper()
	w, err := New(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Proxy.Close() })
	return w
}

// document is the n-th prompt, of 4 KB, unlike all others from its first word on.
func document(n int) string {
	return fmt.Sprintf("Document %d. ", n) + strings.Repeat(fmt.Sprintf("Of %d words the next is %d. ", n, n*7), 200)[:4000]
}

// chat asks a question about a document, with more members.
func chat(text, more string) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]%s}`, text, more)
}

// believed asks about the documents again, and counts those of which something is believed to be cached, and the true hits.
func believed(w *World, documents int) (matched int, hit float64) {
	prompt, cached := 0, 0
	for n := range documents {
		d := w.Post(0, chats, chat(document(n), ""))
		if m, _ := strconv.Atoi(d["matched"]); m > 0 {
			matched++
		}
		p, _ := strconv.Atoi(d["prompt_tokens"])
		c, _ := strconv.Atoi(d["cached_tokens"])
		prompt, cached = prompt+p, cached+c
		w.Pass(second / 50)
	}
	return matched, float64(cached) / float64(prompt)
}

// Nothing that one client asks takes away what is believed of others' prompts: neither chats of two words, whose tokens are
// the template's, nor requests for which the server does not read its cache or computes another prompt.
func TestBeliefsAreNotPoisoned(t *testing.T) {
	m := module(t)
	const documents = 640
	for _, c := range []struct {
		name   string
		attack func(w *World)
	}{
		{"nothing", func(*World) {}},
		{"100 chats of two words", func(w *World) {
			for n := range 100 {
				w.Post(0, chats, chat("Hi "+strconv.Itoa(n), ""))
				w.Pass(second / 10)
			}
		}},
		{"prompt_logprobs", func(w *World) { odd(w, `,"prompt_logprobs":1`) }},
		{"truncate_prompt_tokens", func(w *World) { odd(w, `,"truncate_prompt_tokens":64`) }},
		{"a cache_salt behind the decision", func(w *World) {
			long := document(5) + strings.Repeat("and so on ", 20_000)
			for range 3 {
				w.Post(0, chats, chat(long, ""))
				w.Pass(5 * second)
				w.Post(0, chats, chat(long, `,"cache_salt":"mine"`))
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := start(t, m, Options{Replicas: 4, CacheTokens: 400_000})
			w.Pass(10 * second) // metrics are read
			for n := range documents {
				w.Post(0, chats, chat(document(n), ""))
				w.Pass(second / 50)
			}
			w.Pass(10 * second)
			c.attack(w)
			w.Pass(10 * second)
			matched, hit := believed(w, documents)
			t.Logf("matched %d of %d, true hit %.1f %%", matched, documents, 100*hit)
			if matched < documents*95/100 || hit < .9 {
				t.Errorf("matched %d of %d, true hit %.1f %%; want nearly all", matched, documents, 100*hit)
			}
		})
	}
}

// odd asks about the newest document of each replica, in a way for which nothing is cached.
func odd(w *World, more string) {
	for n := range 12 {
		w.Post(0, chats, chat(document(639-n), more))
		w.Pass(4 * second)
	}
}
