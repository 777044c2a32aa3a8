//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// drop takes HTTP filters out of the listeners.
func (l *listeners) drop(t *testing.T, names []string) {
	t.Helper()
	for _, at := range gateway.Find(l.parts, "http_filters") {
		at["http_filters"] = slices.DeleteFunc(at["http_filters"].([]any), func(filter any) bool {
			return slices.Contains(names, filter.(map[string]any)["name"].(string))
		})
	}
	l.number++
	l.write(t)
}

// Who removes warmroute, as one does with the WasmPlugin and the EnvoyFilter of istio/wasmplugin, loses no request, whichever goes first:
// without the module nothing is chosen, without the filters behind it nothing obeys.
func TestModuleIsRemoved(t *testing.T) {
	t.Parallel()
	behind := []string{"envoy.filters.http.buffer", "envoy.filters.http.header_mutation"}
	for name, steps := range map[string][][]string{"the module first": {{"warmroute"}, behind}, "the filters behind it first": {behind, {"warmroute"}}} {
		t.Run(name, func(t *testing.T) {
			f := poolOf(t, 8)
			l := &listeners{file: filepath.Join(t.TempDir(), "lds.json")}
			opt := options("property", f, nil)
			opt.Edit = func(doc any) { l.serve(t, doc) }
			s := inFront(t, opt, f)
			client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
			ask := func(n int) reply {
				response, err := client.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(chat(story(n%8), fmt.Sprint("Question ", n), nil)))
				if err != nil {
					t.Error(err)
					return reply{}
				}
				return read(t, response)
			}
			load := underLoad(t, 4, ask)
			decided := func() (n int) {
				for i := range 8 {
					if ask(i).decision["endpoint"] != "" {
						n++
					}
				}
				return n
			}
			eventually(t, "the module decides", func() bool { return decided() == 8 })
			for i, names := range steps {
				done := s.stat(t, "envoy_listener_manager_lds_update_success")
				l.drop(t, names)
				eventually(t, "Envoy has taken the update", func() bool { return s.stat(t, "envoy_listener_manager_lds_update_success") > done })
				want := 0
				if i == 0 && names[0] != "warmroute" {
					want = 8
				}
				eventually(t, fmt.Sprintf("%d of 8 requests have a decision after step %d", want, i), func() bool { return decided() == want })
			}
			load.end(t)
		})
	}
}
