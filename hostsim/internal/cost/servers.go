package cost

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"
)

// servers answer at once, with usage as vLLM sends it, or as a stream of as many events as the client's header asks for.
type servers struct {
	addresses []string
	close     func()
	pages     atomic.Int64 // of metrics that were read
}

func serve(n int) (*servers, error) {
	s := &servers{}
	server := &http.Server{Handler: http.HandlerFunc(s.answer)}
	s.close = func() { _ = server.Close() } // closes the listeners; nothing is left to report
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.close()
			return nil, err
		}
		s.addresses = append(s.addresses, l.Addr().String())
		go func() {
			if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
				panic(err) // the measurement is void
			}
		}()
	}
	return s, nil
}

// answer says that all of the prompt but its last 2 KB was cached where the client says that it goes on with a conversation.
func (s *servers) answer(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		s.pages.Add(1)
		_, _ = w.Write(metricsPage()) // the reader notices a fault
		return
	}
	n, _ := io.Copy(io.Discard, r.Body) // the client notices a fault
	prompt, cached := max(int(n)/4, 1), 0
	if before, err := strconv.Atoi(r.Header.Get("x-before")); err == nil {
		cached = before / 4 &^ 15
	}
	events, _ := strconv.Atoi(r.Header.Get(eventsHeader)) // 0 where no stream is asked for
	output := cmp.Or(events, 2)
	usage := fmt.Sprintf(`"usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}`,
		prompt, output, prompt+output, min(cached, prompt-1))
	if events > 0 {
		stream(w, events, usage)
		return
	}
	w.Header().Set("content-type", "application/json")
	fmt.Fprintf(w, `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},`+
		`"finish_reason":"stop"}],%s}`, usage)
}

const (
	eventsHeader = "x-events"
	eventPause   = 10 * time.Millisecond // between the events of a stream, on average: a hundred tokens a second
)

// stream sends one event a token, each by itself, then one with the usage, and the mark of the end.
func stream(w http.ResponseWriter, events int, usage string) {
	w.Header().Set("content-type", "text/event-stream")
	control := http.NewResponseController(w)
	const head = `data: {"id":"chatcmpl-8a6d2f1c4be04d0fb2","object":"chat.completion.chunk","created":1764000000,"model":"m",`
	for range events {
		fmt.Fprint(w, head+`"choices":[{"index":0,"delta":{"content":" and"},"logprobs":null,"finish_reason":null}]}`+"\n\n")
		_ = control.Flush() // the client notices a fault
		time.Sleep(eventPause/2 + rand.N(eventPause))
	}
	fmt.Fprint(w, head+`"choices":[],`+usage+"}\n\ndata: [DONE]\n\n")
}

// hosts is what Envoy's cluster lists.
func hosts(addresses []string) (all []any) {
	for _, a := range addresses {
		host, port, _ := net.SplitHostPort(a) // as the listener has it
		n, _ := strconv.Atoi(port)
		all = append(all, map[string]any{"endpoint": map[string]any{"address": map[string]any{
			"socket_address": map[string]any{"address": host, "port_value": n}}}})
	}
	return all
}
