package doctor

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"warmroute/hostsim/internal/fetch"
	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
)

// fleet are the replicas of one pool.
type fleet struct {
	hosts []string
	mixed bool   // they may serve different models: the module asks each for its own (scrape.models)
	ranks int    // that each has, as configured; 1: servers are endpoints; 0: likewise
	learn bool   // or as many as a page of vLLM names
	named bool   // by requests, in a header
	tools bool   // tools_first
	path  string // of the metrics; "": the module does not read them
}

// fleets are the replicas of the pools: those configured, and those that Envoy has of a discovered cluster.
func fleets(ctx context.Context, o Options, s *manifest.Setup) ([]fleet, error) {
	text, err := fetch.Page(ctx, o.Admin+"/clusters?format=json", o.Timeout)
	if err != nil {
		return nil, err
	}
	var list struct {
		Clusters []struct {
			Name  string `json:"name"`
			Hosts []struct {
				Address struct {
					Socket struct {
						Address string  `json:"address"`
						Port    float64 `json:"port_value"`
					} `json:"socket_address"`
					Tunnel struct {
						Address string `json:"endpoint_id"`
					} `json:"envoy_internal_address"`
				} `json:"address"`
			} `json:"host_statuses"`
		} `json:"cluster_statuses"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s/clusters: %w", o.Admin, err)
	}
	has := map[string][]string{}
	for _, c := range list.Clusters {
		for _, h := range c.Hosts {
			if a := h.Address.Socket; a.Address != "" {
				has[c.Name] = append(has[c.Name], net.JoinHostPort(a.Address, strconv.FormatFloat(a.Port, 'f', 0, 64)))
			} else if _, err := netip.ParseAddrPort(h.Address.Tunnel.Address); err == nil {
				has[c.Name] = append(has[c.Name], h.Address.Tunnel.Address)
			}
		}
	}
	var all []fleet
	gateways := s.Gateways()
	for i := range gateways {
		for _, p := range s.Steered(&gateways[i]) {
			one := fleet{slices.Clone(has[p.Discovery.Cluster]), p.Scrape.Models != "", p.DataParallelRanks, p.LearnsRanks(), s.CarriesRank(&p), p.ToolsFirst, p.Scrape.Path}
			for _, e := range manifest.Servers(&p) {
				one.hosts = append(one.hosts, e.Address)
			}
			all = append(all, one)
		}
	}
	return all, nil
}

// replica is what one replica says of itself.
type replica struct {
	address  string
	fault    string
	unread   string // why its metrics cannot be read, though it answers
	refused  bool   // nothing listens there
	version  string // "": it does not say
	caching  string // enable_prefix_caching
	block    string // block_size
	models   string
	unlisted string // why it does not list them
	ranks    int    // data-parallel, by its metrics; 0: it does not say
	named    bool   // by a page of vLLM, which names each
	order    order
}

// maxReplicas bounds how many replicas are asked.
const maxReplicas = 256

// examineReplicas asks the replicas, and compares those of each pool.
func examineReplicas(ctx context.Context, o Options, fleets []fleet) []finding.Finding {
	var hosts []string
	paths := map[string]string{}
	for _, f := range fleets {
		hosts = append(hosts, f.hosts...)
		for _, host := range f.hosts {
			paths[host] = f.path
		}
	}
	slices.Sort(hosts)
	hosts = slices.Compact(hosts)
	hosts = hosts[:min(len(hosts), maxReplicas)]
	all := make([]replica, len(hosts))
	var asked sync.WaitGroup
	for i, host := range hosts {
		asked.Go(func() { all[i] = ask(ctx, o, host, paths[host]) })
	}
	asked.Wait()
	var out []finding.Finding
	if noneListens(all) && onLoopback(o.Admin) {
		return []finding.Finding{finding.Broken.At("replicas", fmt.Sprintf("none of %d answers: the connection is refused at %s", len(all), finding.Some(hosts)),
			"do they run, and are these their addresses and ports? "+forwarded)}
	}
	reached := 0
	for _, r := range all {
		if r.fault != "" {
			out = append(out, unreached(o, r))
			continue
		}
		reached++
		if r.unread != "" {
			out = append(out, finding.Weak.At("replica "+r.address, "it answers, and its metrics cannot be read: "+r.unread, unreadCure))
		}
		if r.caching == "False" {
			out = append(out, finding.Broken.At("replica "+r.address, "prefix caching is off", "vllm serve … --enable-prefix-caching"))
		}
	}
	for _, f := range fleets {
		out = slices.Concat(out, compare(all, f), compareLists(all, f), compareRanks(all, f), compareOrder(all, f))
	}
	if reached > 0 {
		out = append(out, finding.Fine.At("replicas", fmt.Sprintf("%d of %d answer", reached, len(all)), ""))
	}
	return out
}

// forwarded is why addresses of replicas may mean nothing here.
const forwarded = "If Envoy's admin interface is forwarded here from another machine: run this where the gateway runs, or --no-replicas"

// unreached says of a replica that does not answer whether it is that, or this machine.
func unreached(o Options, r replica) finding.Finding {
	if r.refused && onLoopback(o.Admin) {
		return finding.Weak.At("replica "+r.address, "it refuses the connection", "does it run, and is this its address and port? "+forwarded)
	}
	return finding.Weak.At("replica "+r.address, "it cannot be asked from here: "+r.fault, "run this where the gateway runs; where replicas take nothing but TLS, or a mesh's mTLS, --no-replicas")
}

// compare names what the replicas of a pool should have alike and have not.
func compare(all []replica, f fleet) (out []finding.Finding) {
	for _, compared := range []struct {
		what, cure string
		of         func(replica) string
	}{
		{"versions of vLLM", "one version, since caches and metrics differ between versions", func(r replica) string { return r.version }},
		{"block sizes", "--block-size, the same everywhere", func(r replica) string { return r.block }},
		{"models", "one pool for each model: \"pools\"; or \"scrape\": {\"models\": \"/v1/models\"}", func(r replica) string {
			if f.mixed {
				return ""
			}
			return r.models
		}},
	} {
		by := map[string][]string{}
		for _, r := range all {
			if v := compared.of(r); r.fault == "" && v != "" && slices.Contains(f.hosts, r.address) {
				by[v] = append(by[v], r.address)
			}
		}
		if len(by) > 1 {
			var parts []string
			for _, v := range slices.Sorted(maps.Keys(by)) {
				parts = append(parts, v+" at "+by[v][0])
			}
			level := finding.Weak
			if compared.what == "models" && strangers(slices.Collect(maps.Keys(by))) { // adapters come and go
				level = finding.Broken
			}
			out = append(out, level.At("replicas", "they have different "+compared.what+": "+strings.Join(parts, ", "), compared.cure))
		}
	}
	return out
}

// compareLists names replicas of a pool whose lists of models the module asks for and does not get: each counts as serving all.
func compareLists(all []replica, f fleet) []finding.Finding {
	var hidden []string
	why := ""
	for _, r := range all {
		if f.mixed && r.unlisted != "" && slices.Contains(f.hosts, r.address) {
			hidden, why = append(hidden, r.address), r.unlisted
		}
	}
	if hidden == nil {
		return nil
	}
	return []finding.Finding{finding.Weak.At("replicas", "scrape.models asks for lists of models, and those of "+finding.Some(hidden)+" are not given: "+why+". They are taken to serve every model",
		"\"pools\" by match.models, where lists need a key, as with vLLM's --api-key: the module sends none")}
}

// strangers says whether two lists of models have none in common: then a part of the requests gets 404.
func strangers(lists []string) bool {
	for i, a := range lists {
		for _, b := range lists[:i] {
			known := strings.Split(b, "+")
			if !slices.ContainsFunc(strings.Split(a, "+"), func(model string) bool { return slices.Contains(known, model) }) {
				return true
			}
		}
	}
	return false
}

// noneListens says whether every replica refuses the connection.
func noneListens(all []replica) bool {
	return len(all) > 0 && !slices.ContainsFunc(all, func(r replica) bool { return !r.refused })
}

// onLoopback says whether a URL is of this machine: what Envoy can reach from there can then be reached from here.
func onLoopback(admin string) bool {
	u, err := url.Parse(admin)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
