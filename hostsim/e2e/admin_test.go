//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// adminPages stands between the module and the admin interface.
type adminPages struct {
	admin atomic.Value // its URL, a string
	page  atomic.Int32
	asked atomic.Int64
}

func (a *adminPages) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	a.asked.Add(1)
	text := ""
	if admin, ok := a.admin.Load().(string); ok {
		if response, err := http.Get(admin + q.URL.RequestURI()); err == nil {
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			text = string(body)
		}
	}
	switch page(a.page.Load()) {
	case gone:
		http.NotFound(w, q)
	case huge: // 7 MB, and the hosts after them
		cluster := `{"name":"other","host_statuses":[` + strings.Repeat(`{"address":{"socket_address":{"address":"10.0.0.1","port_value":1}}},`, 100_000)
		fmt.Fprint(w, strings.Replace(text, `"cluster_statuses":[`, `"cluster_statuses":[`+strings.TrimSuffix(cluster, ",")+"]},", 1))
	case truncated:
		fmt.Fprint(w, text[:len(text)*2/3])
	case lying: // a thousand hosts that Envoy does not have
		var hosts []string
		for i := range 1000 {
			hosts = append(hosts, fmt.Sprintf(`{"address":{"socket_address":{"address":"10.0.%d.%d","port_value":1}},"health_status":{"eds_health_status":"HEALTHY"},"weight":4000000000}`, i/250, i%250))
		}
		fmt.Fprintf(w, `{"cluster_statuses":[{"name":"vllm","host_statuses":[%s]}]}`, strings.Join(hosts, ","))
	case hanging:
		<-q.Context().Done()
	default:
		fmt.Fprint(w, text)
	}
}

// Whatever the admin interface answers, no request is lost; when it is well again, requests are routed as before.
func TestAdminMisbehaves(t *testing.T) {
	t.Parallel()
	a := &adminPages{}
	between := httptest.NewServer(a)
	t.Cleanup(between.Close)
	at, err := url.Parse(between.URL)
	if err != nil {
		t.Fatal(err)
	}
	port := 0
	fmt.Sscan(at.Port(), &port)
	s, list := launchReplicas(t, "discovery", 3, false, func(o *gateway.Options) {
		o.Edit = func(doc any) {
			for _, cluster := range gateway.Find(doc, "load_assignment") {
				for _, socket := range gateway.Find(cluster, "port_value") {
					if cluster["name"] == "admin" {
						socket["port_value"] = port
					}
				}
			}
		}
	})
	a.admin.Store(s.Admin)
	s.steered(t, 3)
	l := s.start(t, 8, 5*time.Millisecond)
	for _, p := range []page{gone, huge, truncated, lying, hanging} {
		a.page.Store(int32(p))
		from := a.asked.Load()
		eventually(t, "the page was asked for twice", func() bool { return a.asked.Load() >= from+2 })
		time.Sleep(100 * time.Millisecond)
		a.page.Store(int32(usual))
		s.steered(t, len(list))
	}
	l.end()
	if lost, sent, why := l.lost(); lost > 0 {
		t.Errorf("%d of %d requests were lost: %v", lost, sent, why)
	}
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
	s.noTrap(t)
}
