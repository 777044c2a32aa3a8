package replay

import (
	"encoding/json"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"warmroute/hostsim/internal/stats"
)

// Join says that some replicas join while requests come: the gateways discover them by their own calls of the proxy's admin
// interface. The zero Join is none.
type Join struct {
	Replicas int           // the last ones
	At       time.Duration // of virtual time
	For      time.Duration // that the results are about, before and after
}

// settleIn is how long the gateways have to discover the first replicas before requests come.
const settleIn = 2 * time.Second

const joinCluster = "replicas"

// check says what is wrong.
func (j *Join) check(o *Options) error {
	switch {
	case j.Replicas == 0:
		return nil
	case j.Replicas < 0 || j.Replicas >= o.Replicas:
		return fmt.Errorf("joining replicas: %d are not fewer than all %d", j.Replicas, o.Replicas)
	case j.At <= 0 || j.For <= 0:
		return fmt.Errorf("joining replicas: the time %v and the window %v are above 0", j.At, j.For)
	case !o.Closed && float64(j.At) > o.lastArrival():
		return fmt.Errorf("joining replicas: the last request comes at %v, before they join at %v", time.Duration(o.lastArrival()).Round(time.Second), j.At)
	case len(o.Models.Names) > 1:
		return fmt.Errorf("joining replicas do not go with several models")
	}
	return nil
}

// configure makes the gateways discover the replicas.
func (j *Join) configure(configuration map[string]any) {
	if j.Replicas == 0 {
		return
	}
	configuration["endpoints"] = []string{}
	configuration["discovery"] = map[string]any{"cluster": joinCluster, "admin_cluster": "admin"}
}

// hosts is the admin interface's page at this time.
func (r *run) hosts() []byte {
	n := r.Replicas
	if r.now < int64(r.Join.At) {
		n -= r.Join.Replicas
	}
	var list []any
	for i := range n {
		host, port, _ := net.SplitHostPort(r.address(i))
		number, _ := strconv.Atoi(port)
		list = append(list, map[string]any{
			"address": map[string]any{"socket_address": map[string]any{"address": host, "port_value": number}},
			"weight":  1, "health_status": map[string]any{"eds_health_status": "HEALTHY"},
		})
	}
	page, err := json.Marshal(map[string]any{"cluster_statuses": []any{map[string]any{"name": joinCluster, "host_statuses": list}}})
	if err != nil {
		panic(err) // strings and numbers only
	}
	return page
}

// isHosts says whether a call's path asks the admin interface.
func isHosts(path string) bool { return strings.HasPrefix(path, "/clusters?") }

// JoinResult is what users saw before and after replicas joined, and what came to those.
type JoinResult struct {
	Before   stats.Dist `json:"before_ttft_ms"` // requests sent within Join.For before
	After    stats.Dist `json:"after_ttft_ms"`  // and after
	Joined   stats.Dist `json:"joined_ttft_ms"` // those of them that the joined replicas answered
	Requests float64    `json:"joined_share"`   // their share of the requests after, 0 to 1
	Fair     float64    `json:"fair_share"`     // of so many replicas among all
}

func (r *run) joined() *JoinResult {
	if r.Join.Replicas == 0 {
		return nil
	}
	var before, after, joined []float64
	at, window := int64(r.Join.At), int64(r.Join.For)
	for i := range r.served {
		record := &r.served[i].record
		if record.PromptTokens == 0 {
			continue
		}
		ttft := float64(record.First-record.Queued) / 1e6
		switch since := record.Queued - at; {
		case since >= -window && since < 0:
			before = append(before, ttft)
		case since >= 0 && since < window:
			after = append(after, ttft)
			if r.served[i].replica >= r.Replicas-r.Join.Replicas {
				joined = append(joined, ttft)
			}
		}
	}
	return &JoinResult{
		Before: stats.NewDist(before), After: stats.NewDist(after), Joined: stats.NewDist(joined),
		Requests: float64(len(joined)) / float64(max(len(after), 1)), Fair: float64(r.Join.Replicas) / float64(r.Replicas),
	}
}
