package config

import "warmroute/plugin/prompt"

// node is a place in the configuration: its schema and the value given there,
// nil where the default holds.
type node struct{ schema, value *value }

// fill builds the Config of a valid document.
func fill(root node) Config {
	steer := root.at("steer")
	c := Config{
		Policy: Policy(root.at("policy").enum()),
		Shadow: Policy(root.at("shadow").enum()),
		Steer: Steer{
			Target:     Target(steer.at("target").enum()),
			Via:        Via(steer.at("via").enum()),
			Header:     steer.at("header").text(),
			Candidates: steer.at("candidates").integer(),
		},
		Settings:        root.settings(),
		IndexBytes:      root.at("index_bytes").integer(),
		Ring:            Ring{Vnodes: root.at("ring").at("vnodes").integer()},
		ScanBytes:       root.at("scan_bytes").integer(),
		MaxInspecting:   root.at("max_inspecting").integer(),
		BlockBytes:      root.at("block_bytes").integer(),
		TenantHeader:    root.at("tenant_header").text(),
		ResponseHeader:  root.at("response_header").text(),
		AskHeader:       root.at("ask_header").text(),
		MetricEndpoints: root.at("metric_endpoints").integer(),
		Seed:            uint64(root.at("seed").number()),
	}
	c.DecideTimeout = root.at("decide_timeout").span()
	c.fillPool(root.at("discovery"), root.at("scrape"))
	for _, n := range root.at("endpoints").items() {
		c.Endpoints = append(c.Endpoints, n.endpoint())
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
	if c.Steer.Header == "" {
		c.Steer.Header = [...]string{EndpointHeader, ClusterHeader, KeyHeader}[c.Steer.Target]
	}
	return c
}

// fillPool fills what concerns the pool, after Steer.
func (c *Config) fillPool(discovery, scrape node) {
	c.Discovery = Discovery{
		Cluster:      discovery.at("cluster").text(),
		AdminCluster: discovery.at("admin_cluster").text(),
		Interval:     discovery.at("interval").span(),
		Timeout:      discovery.at("timeout").span(),
	}
	c.Scrape = Scrape{
		Cluster:  scrape.at("cluster").text(),
		Path:     scrape.at("path").text(),
		Interval: scrape.at("interval").span(),
		Timeout:  scrape.at("timeout").span(),
	}
	if c.Steer.Target == TargetEndpoint && c.Scrape.Cluster == "" {
		if c.Scrape.Cluster = c.Discovery.Cluster; c.Scrape.Cluster == "" {
			c.Scrape.Path = ""
		}
	}
}

// endpoint reads either spelling of an endpoint.
func (n node) endpoint() Endpoint {
	address := n.text()
	object := node{n.schema.get("oneOf").list()[1], nil}
	if n.value.kind == isObject {
		object.value = n.value
		address = object.at("address").text()
	}
	address, _ = parseAddress(address)
	return Endpoint{address, object.at("cluster").text(), object.at("weight").integer()}
}

// at goes to a member of an object.
func (n node) at(name string) node {
	return node{n.schema.get("properties").get(name), n.value.get(name)}
}

// get is the value given, or else the default.
func (n node) get() *value {
	if n.value != nil {
		return n.value
	}
	return n.schema.get("default")
}

func (n node) text() string    { return n.get().string() }
func (n node) number() float64 { return n.get().number() }
func (n node) span() int64     { ns, _ := parseSpan(n.text()); return ns }
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
		nodes[i] = node{n.schema.get("items"), v}
	}
	return nodes
}
