package faults

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/host"
	"warmroute/plugin/config"
)

// World is a proxy in front of replicas, in virtual time. It is not safe for concurrent use.
type World struct {
	Proxy    *host.Proxy
	Replicas []*Replica

	served  map[*host.Stream]upstream
	Page    func(r *Replica) []byte // of metrics; nil: the replica's own
	Models  func(r *Replica) []byte // the list of models; nil: there is none
	Admin   func() []byte           // the page of the admin interface; nil: it is gone
	Answers bool                    // metrics can be asked for
	Poison  string                  // every replica fails a request that has it
	Upsets  string                  // the first replica that is sent a request that has it resets the connection
	Client  string                  // address of the client of the next requests
	Pending bool                    // the next requests wait for a connection to their replica
}

// upstream is what the proxy says of a stream's replica.
type upstream struct {
	address  string
	attempts uint64
	client   string
	broke    bool // the replica has stopped in the middle of its response
	pending  bool // there is no connection to it yet
}

// modelsPath is where replicas list their models, if the configuration asks for it.
const modelsPath = "/v1/models"

// Options of a World. CacheTokens is the size of each replica's cache.
type Options struct {
	Plugin      string // configuration, without endpoints
	Workers     int
	Replicas    int
	CacheTokens int
	Seed        uint64
	Discover    bool  // the endpoints come from the admin interface
	Start       int64 // of the clock, ns since 1970; 0: the host's
}

// New starts a world.
func New(ctx context.Context, module *host.Module, o Options) (*World, error) {
	w := &World{served: map[*host.Stream]upstream{}, Answers: true}
	list := make([]string, max(o.Replicas, 1))
	for i := range list {
		address := Address(i)
		w.Replicas = append(w.Replicas, newReplica(address, max(o.CacheTokens, 1<<10)/blockTokens))
		list[i] = strconv.Quote(address)
	}
	members := []string{`"seed":1`}
	if o.Discover {
		members = append(members, `"discovery":{"cluster":"vllm","admin_cluster":"admin"}`)
	} else {
		members = append(members, `"endpoints":[`+strings.Join(list, ",")+`]`)
	}
	if !strings.Contains(o.Plugin, `"scrape"`) {
		members = append(members, `"scrape":{"cluster":"vllm"}`)
	}
	if o.Plugin != "" {
		members = append(members, o.Plugin)
	}
	var err error
	w.Proxy, err = module.NewProxy(ctx, host.Config{
		VMID: "warmroute", RootID: "warmroute", PluginName: "warmroute", PluginConfig: []byte("{" + strings.Join(members, ",") + "}"),
		Workers: o.Workers, AllowOnHeadersStopIteration: true, FailurePolicy: host.FailReload, LogLevel: host.LevelInfo,
		BodyLimit: 3 << 20, Seed: o.Seed, Start: o.Start, Property: w.property, OnCallout: w.callout,
	})
	return w, err
}

// Address is that of the i-th replica.
func Address(i int) string { return fmt.Sprintf("10.0.%d.%d:8000", i/250, i%250+1) }

func (w *World) property(s *host.Stream, path []string) ([]byte, bool) {
	u, ok := w.served[s]
	switch name := strings.Join(path, "."); {
	case !ok:
	case name == "upstream.address" && u.address != "":
		return []byte(u.address), true
	case name == "upstream.local_address" && !u.pending:
		return []byte("10.9.9.9:40000"), true
	case name == "source.address" && u.client != "":
		return []byte(u.client), true
	case name == "response.code_details" && u.broke:
		return []byte("upstream_reset_after_response_started{connection_termination}"), true
	case name == "response.code_details":
		return []byte("via_upstream"), true
	case name == "upstream.request_attempt_count":
		b := make([]byte, 8)
		b[0] = byte(u.attempts)
		return b, true
	}
	return nil, false
}

// callout answers what the module asks.
func (w *World) callout(c *host.Callout) {
	page := []byte(nil)
	path, _ := c.Headers.Get(":path")
	switch to, _ := c.Headers.Get(config.EndpointHeader); {
	case c.Cluster == "admin" && w.Admin != nil:
		page = w.Admin()
	case c.Cluster == "admin" || !w.Answers:
		c.Refuse(0)
		return
	default:
		r := w.at(to)
		if r == nil || r.Mode == Refuses {
			c.Refuse(0)
			return
		}
		if r.Mode == Hangs {
			return // until its timeout
		}
		switch {
		case path == modelsPath && w.Models == nil:
			c.Respond(host.Response{Headers: host.Headers{{Name: ":status", Value: "404"}}}, 0)
			return
		case path == modelsPath:
			page = w.Models(r)
		case w.Page != nil:
			page = w.Page(r)
		default:
			page = r.metrics()
		}
	}
	c.Respond(host.Response{Headers: host.Headers{{Name: ":status", Value: "200"}}, Body: page}, 0)
}

func (w *World) at(address string) *Replica {
	for _, r := range w.Replicas {
		if r.Address == address {
			return r
		}
	}
	return nil
}

// Pass lets virtual time go by, in nanoseconds.
func (w *World) Pass(ns int64) { w.Proxy.Advance(w.Proxy.Now() + ns) }

// Post sends a request at once and answers it, in no time. It returns the decision's fields.
func (w *World) Post(worker int, path, body string, headers ...string) map[string]string {
	x := w.Open(worker, path, len(body), headers...)
	x.Write([]byte(body), true)
	x.Route()
	x.Answer()
	return x.Decision()
}

// Gauge is the sum of all metrics whose name ends in name.
func (w *World) Gauge(name string) (sum uint64) {
	for _, m := range w.Proxy.Metrics() {
		if strings.HasSuffix(m.Name, name) {
			sum += uint64(m.Value)
		}
	}
	return sum
}
