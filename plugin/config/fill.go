package config

import (
	"cmp"

	"warmroute/plugin/prompt"
)

// node is a place in the configuration: its schema, the value given there, and the value that holds if there is none: for a
// pool, that of the top level. nil: the default holds.
type node struct{ schema, value, base *value }

// fill builds the Config of a valid document. Large structs are filled in place: TinyGo copies them member by member, in
// code.
func fill(root node) *Config {
	c := &Config{
		ScanBytes:        root.at("scan_bytes").integer(),
		MaxInspecting:    root.at("max_inspecting").integer(),
		MaxHeldBytes:     root.at("max_held_bytes").integer(),
		BlockBytes:       root.at("block_bytes").integer(),
		TenantHeader:     root.at("tenant_header").text(),
		ResponseHeader:   root.at("response_header").text(),
		AskHeader:        root.at("ask_header").text(),
		AskSecretEnv:     root.at("ask_secret_env").text(),
		PolicyHeader:     root.at("policy_header").text(),
		PolicyHeaderFrom: From(root.at("policy_header_from").enum()),
		MetricEndpoints:  root.at("metric_endpoints").integer(),
		Zone:             root.at("zone").text(),
		Seed:             uint64(root.at("seed").number()),
		Record:           root.at("record").flag(),
		RecordPerSecond:  root.at("record_per_second").integer(),
	}
	c.DecideTimeout = root.at("decide_timeout").span()
	root.fillPool(&c.Pool)
	c.settleScrape()
	c.Role = Role(root.at("role").enum())
	c.fillPeers(root.at("peers"))
	pools := root.at("pools").items()
	c.Pools = make([]NamedPool, len(pools))
	for i, n := range pools {
		n.base = root.value
		n.fillNamed(&c.Pools[i])
	}
	for _, n := range root.at("paths").items() {
		c.Paths = append(c.Paths, prompt.Rule{
			Path:    n.at("path").text(),
			Format:  n.at("format").text(),
			Pointer: n.at("pointer").text(),
		})
	}
	for _, n := range root.at("session_headers").items() {
		c.SessionHeaders = append(c.SessionHeaders, n.text())
	}
	return c
}

// fillPool fills the settings of one pool, before settleScrape.
func (n node) fillPool(p *Pool) {
	steer := n.at("steer")
	p.Policy = Policy(n.at("policy").enum())
	p.Shadow = Policy(n.at("shadow").enum())
	experiment := n.at("experiment")
	p.Experiment = Experiment{experiment.at("share").number(), Policy(experiment.at("policy").enum()), experiment.at("window").span()}
	p.Steer = Steer{
		Target:     Target(steer.at("target").enum()),
		Via:        Via(steer.at("via").enum()),
		Header:     steer.at("header").text(),
		Cluster:    steer.at("cluster").text(),
		Candidates: steer.at("candidates").integer(),
	}
	p.Settings = n.settings()
	p.AdapterLoad = n.at("adapter_load").span()
	p.CrossZone = n.at("cross_zone").span()
	p.DataParallelRanks = n.at("data_parallel_ranks").integer()
	p.ToolsFirst = n.at("tools_first").flag()
	p.HoldLimit = n.at("hold_limit").span()
	p.SlowStart = n.at("slow_start").span()
	p.IndexBytes = n.at("index_bytes").integer()
	p.Ring = Ring{Vnodes: n.at("ring").at("vnodes").integer()}
	for _, e := range n.at("endpoints").items() {
		p.Endpoints = append(p.Endpoints, e.endpoint())
	}
	if p.Steer.Header == "" {
		p.Steer.Header = [...]string{EndpointHeader, ClusterHeader, KeyHeader}[p.Steer.Target]
	}
	p.fillSources(n.at("discovery"), n.at("scrape"))
}

// fillSources fills where endpoints and metrics are read, after Steer.
func (p *Pool) fillSources(discovery, scrape node) {
	p.Discovery = Discovery{
		Cluster:      discovery.at("cluster").text(),
		AdminCluster: discovery.at("admin_cluster").text(),
		Interval:     discovery.at("interval").span(),
		Timeout:      discovery.at("timeout").span(),
	}
	p.Scrape = Scrape{
		Cluster:  scrape.at("cluster").text(),
		Path:     scrape.at("path").text(),
		Interval: scrape.at("interval").span(),
		Timeout:  scrape.at("timeout").span(),

		Models:         scrape.at("models").text(),
		ModelsInterval: scrape.at("models_interval").span(),
	}
}

// settleScrape finds the cluster to read metrics through.
func (p *Pool) settleScrape() {
	if p.Steer.Target == TargetEndpoint && p.Scrape.Cluster == "" {
		if p.Scrape.Cluster = cmp.Or(p.Discovery.Cluster, p.Steer.Cluster); p.Scrape.Cluster == "" {
			p.Scrape.Path, p.Scrape.Models = "", ""
		}
	}
}

func (c *Config) fillPeers(peers node) {
	c.Peers = Peers{
		Cluster:      peers.at("cluster").text(),
		Path:         peers.at("path").text(),
		Interval:     peers.at("interval").span(),
		Timeout:      peers.at("timeout").span(),
		ListenerPort: peers.at("listener_port").integer(),
		Trust:        Trust(peers.at("trust").enum()),
		SecretEnv:    peers.at("secret_env").text(),
	}
	for _, n := range peers.at("addresses").items() {
		address, _ := parseAddress(n.text())
		c.Peers.Addresses = append(c.Peers.Addresses, address)
	}
}

// endpoint reads either spelling of an endpoint.
func (n node) endpoint() Endpoint {
	address := n.text()
	object := node{n.schema.get("oneOf").list()[1], nil, nil}
	if n.value.kind == isObject {
		object.value = n.value
		address = object.at("address").text()
	}
	address, _ = parseAddress(address)
	return Endpoint{Address: address, Cluster: object.at("cluster").text(), Weight: object.at("weight").integer(), Zone: object.at("zone").text()}
}

// at goes to a member of an object.
func (n node) at(name string) node {
	return node{n.schema.get("properties").get(name), n.value.get(name), n.base.get(name)}
}

// get is the value given, or else the default.
func (n node) get() *value {
	if n.value != nil {
		return n.value
	}
	if n.base != nil {
		return n.base
	}
	return n.schema.get("default")
}

func (n node) text() string    { return n.get().string() }
func (n node) number() float64 { return n.get().number() }
func (n node) span() int64     { ns, _ := parseSpan(n.text()); return ns }
func (n node) flag() bool      { return n.get().kind == isBoolean && n.get().text == "true" }
func (n node) integer() int    { return n.get().count() }

// enum is the index in the schema's enum, which is the value of the Go constant.
func (n node) enum() uint8 {
	name := n.text()
	for i, allowed := range n.schema.get("enum").list() {
		if allowed.string() == name {
			return uint8(i)
		}
	}
	return 0
}

func (n node) items() []node {
	values := n.get().list()
	nodes := make([]node, len(values))
	for i, v := range values {
		nodes[i] = node{n.schema.get("items"), v, nil}
	}
	return nodes
}
