package cost

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
)

// servers answer at once, with usage as vLLM sends it.
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
	w.Header().Set("content-type", "application/json")
	fmt.Fprintf(w, `{"id":"chatcmpl-1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Yes."},`+
		`"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":2,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d}}}`,
		prompt, prompt+2, min(cached, prompt-1))
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
