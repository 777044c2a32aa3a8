//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// Clients that begin 1,500 uploads of 63 KB and hold them back cost Envoy little more memory with the module than without.
func TestHeldUploadsAreBounded(t *testing.T) {
	t.Parallel()
	const uploads = 1500
	grown := map[bool]int{}
	for _, plain := range []bool{true, false} {
		s := launch(t, "endpoint", func(o *gateway.Options) {
			o.Plugin = map[string]any{"decide_timeout": "60s"} // the worst for the module
			if plain {
				o.Edit = func(doc any) {
					for _, at := range gateway.Find(doc, "http_filters") {
						at["http_filters"] = at["http_filters"].([]any)[1:]
					}
				}
			}
		})
		before, _ := taken(t, s.Pid())
		body := `{"messages":[{"role":"user","content":"` + strings.Repeat("words ", 10_500)
		for range uploads {
			conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\ncontent-type: application/json\r\ncontent-length: 200000\r\n\r\n")
			if _, err := io.WriteString(conn, body[:63_000]); err != nil {
				t.Fatal(err)
			}
		}
		eventually(t, "all uploads are under way", func() bool {
			return s.stat(t, `envoy_http_downstream_rq_active{envoy_http_conn_manager_prefix="llm"}`) >= uploads
		})
		time.Sleep(time.Second)
		after, _ := taken(t, s.Pid())
		grown[plain] = after - before
		t.Logf("plain %v: %d MB → %d MB", plain, before>>20, after>>20)
		s.Close()
	}
	if more := grown[false] - grown[true]; more > 128<<20 {
		t.Errorf("with the module %d MB more than without, want 128 at most", more>>20)
	}
}
