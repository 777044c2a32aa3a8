package config

import (
	"strconv"

	"warmroute/plugin/prefix"
	"warmroute/plugin/ring"
)

// check checks what concerns several fields at once. The document has the fields
// as they were written.
func (c *Config) check(document *value, f *faults) {
	switch c.Role {
	case RolePeers:
		return // nothing else is used
	case RoleGate:
		if c.Steer.Target == TargetCluster {
			f.add("steer.target", "cluster does not go with the role gate: the route is chosen before it")
		}
		f.take("", c.checkSteerHeader())
		return
	}
	if len(c.Pools) > 0 {
		c.checkPools(document, f)
	} else {
		c.checkOne(document.get("endpoints").list(), f, "")
	}
	f.take("", c.checkPeers())
	if c.AskHeader != "" && c.ResponseHeader == "" {
		f.add("ask_header", quote(c.AskHeader)+" asks for nothing: response_header is empty")
	}
	if c.AskSecretEnv != "" && c.AskHeader == "" {
		f.add("ask_secret_env", quote(c.AskSecretEnv)+" has no use: ask_header is empty")
	}
	f.take("", c.checkPaths())
}

// checkOne checks the only pool, or one of several, whose fields stand at a path; endpoints are as they were written.
func (c *Config) checkOne(endpoints []*value, f *faults, at string) {
	f.take(at, c.checkPool())
	f.take(at, c.checkEndpoints(endpoints))
	f.take(at, c.checkIndex())
	f.take(at, c.checkSteer())
	f.take(at, c.checkSteerHeader())
}

func (c *Config) checkSteer() *Error {
	switch {
	case c.Steer.Target == TargetHash && !c.Policy.HasKey():
		return &Error{Field: "policy", Msg: c.Policy.String() + " has no key of its own, which steer.target hash needs; it is one of " + keyed() + " there"}
	case c.Steer.Target == TargetCluster && c.Steer.Via == ViaProperty:
		return &Error{Field: "steer.via", Msg: "property does not go with the target cluster: routes are chosen before it is set"}
	}
	if c.Steer.Cluster != "" && (c.Steer.Target == TargetCluster || c.Steer.Via == ViaProperty) {
		return &Error{Field: "steer.cluster", Msg: "refused where steer.target is cluster, which names each endpoint's own, and where steer.via is property, which comes too late for the route"}
	}
	if e := c.Experiment; e.Share > 0 {
		switch {
		case c.Steer.Target == TargetHash:
			return &Error{Field: "experiment", Msg: e.Policy.String() + " needs endpoints to choose from, of which steer.target hash knows none"}
		case c.Policy == PolicyLRUMatch || e.Policy == PolicyLRUMatch:
			return &Error{Field: "experiment.policy", Msg: "lru_match keeps what it knows to itself: it goes with no experiment"}
		}
	}
	if c.Steer.Target == TargetHash && c.Shadow != PolicyNone {
		return &Error{Field: "shadow", Msg: c.Shadow.String() + " needs endpoints to choose from, of which steer.target hash knows none"}
	}
	return nil
}

func (c *Config) checkPeers() *Error {
	switch {
	case c.Peers.Cluster == "" && len(c.Peers.Addresses) > 0:
		return &Error{Field: "peers.cluster", Msg: "missing; the cluster of peers.addresses is needed"}
	case c.Peers.Cluster == "" && c.Peers.ListenerPort > 0:
		return &Error{Field: "peers.listener_port", Msg: "nothing is shared: peers.cluster is missing"}
	case c.Peers.Cluster != "" && len(c.Pools) == 0 && c.Steer.Target == TargetHash:
		return &Error{Field: "peers.cluster", Msg: "refused where steer.target is hash, which knows no endpoints to share news of"}
	}
	return nil
}

func (c *Config) checkPaths() *Error {
	for i := range c.Paths {
		p := &c.Paths[i]
		if member, holds, why := p.Check(); why != "" {
			if holds != "" {
				why = quote(holds) + " " + why
			}
			return &Error{Field: index("paths", i) + "." + member, Msg: why}
		}
		for j := range i {
			if c.Paths[j].Path == p.Path {
				return &Error{Field: index("paths", i) + ".path", Msg: quote(p.Path) + " is already " + index("paths", j)}
			}
		}
	}
	return nil
}

// MostOfIndexes bounds the indexes of all pools and configurations of a worker, in bytes. Envoy's V8 gives a VM 1 GiB (wasm_max_mem_pages), and
// TinyGo's memory grows twofold each time, so that it has 646 MiB at the end.
const MostOfIndexes = 400 << 20

// leastIndexBytes is the smallest useful index: about a thousand blocks.
const leastIndexBytes = 1 << 16

func (c *Config) checkIndex() *Error {
	switch {
	case c.IndexBytes == 0 && c.Policy.NeedsIndex():
		return &Error{Field: "index_bytes", Msg: "0 is not allowed where policy is " + c.Policy.String() + " (allowed: 65536 to 1073741824)"}
	case c.IndexBytes == 0 && c.Shadow.NeedsIndex():
		return &Error{Field: "index_bytes", Msg: "0 is not allowed where shadow is " + c.Shadow.String() + " (allowed: 65536 to 1073741824)"}
	case c.IndexBytes == 0 && c.Experiment.Share > 0 && c.Experiment.Policy.NeedsIndex():
		return &Error{Field: "index_bytes", Msg: "0 is not allowed where experiment.policy is " + c.Experiment.Policy.String() + " (allowed: 65536 to 1073741824)"}
	case c.IndexBytes > 0 && c.IndexBytes < leastIndexBytes:
		return &Error{Field: "index_bytes", Msg: strconv.Itoa(c.IndexBytes) + " is too few (allowed: 0, or 65536 to 1073741824)"}
	}
	return nil
}

// MaxEndpoints is the most that a pool may have.
const MaxEndpoints = prefix.MaxEndpoints

// MaxDiscoveredVnodes leaves room on the ring for all endpoints that discovery may find.
const MaxDiscoveredVnodes = ring.MaxPoints / MaxEndpoints

// checkPool requires that endpoints are listed or discovered, not both, and that they fit the ring.
func (c *Config) checkPool() *Error {
	switch given := len(c.Endpoints); {
	case c.Steer.Target == TargetHash && c.Discovery.Cluster != "":
		return &Error{Field: "discovery.cluster", Msg: "refused where steer.target is hash, which knows no endpoints"}
	case c.Steer.Target == TargetHash && c.DataParallelRanks > 1:
		return &Error{Field: "data_parallel_ranks", Msg: strconv.Itoa(c.DataParallelRanks) + " is refused where steer.target is hash, which knows no endpoints"}
	case c.Steer.Target == TargetHash:
		return nil
	case given*max(c.DataParallelRanks, 1) > MaxEndpoints:
		return &Error{Field: "data_parallel_ranks", Msg: strconv.Itoa(c.DataParallelRanks) + " ranks of " + strconv.Itoa(given) + " endpoints are above the maximum of " + strconv.Itoa(MaxEndpoints)}
	case c.Discovery.Cluster != "" && c.Ring.Vnodes > MaxDiscoveredVnodes:
		return &Error{Field: "ring.vnodes", Msg: strconv.Itoa(c.Ring.Vnodes) + " is above the maximum of " + strconv.Itoa(MaxDiscoveredVnodes) +
			" beside discovery.cluster, which may find " + strconv.Itoa(MaxEndpoints) + " endpoints"}
	case given == 0 && c.Discovery.Cluster == "":
		return &Error{Field: "endpoints", Msg: "at least 1 item is needed, or discovery.cluster"}
	case given > 0 && c.Discovery.Cluster != "":
		return &Error{Field: "endpoints", Msg: "refused beside discovery.cluster: the endpoints are found there"}
	}
	return nil
}

func (c *Config) checkEndpoints(written []*value) *Error {
	first := make(map[string]int, len(c.Endpoints)) // by address
	owner := map[string]int{}                       // by cluster
	weight := int64(0)                              // an int has 32 bits in the module
	for i, e := range c.Endpoints {
		field := index("endpoints", i)
		if j, found := first[e.Address]; found {
			if written[i].kind == isObject {
				field += ".address"
			}
			return &Error{Field: field, Msg: quote(e.Address) + " is already " + index("endpoints", j)}
		}
		first[e.Address] = i
		if e.Cluster == "" && c.Steer.Target == TargetCluster {
			return &Error{Field: field + ".cluster", Msg: "missing; a cluster name is needed where steer.target is cluster"}
		}
		if c.Steer.Target == TargetCluster {
			if j, found := owner[e.Cluster]; found {
				return &Error{Field: field + ".cluster", Msg: quote(e.Cluster) + " is already that of " + index("endpoints", j) + "; each needs its own where steer.target is cluster"}
			}
			owner[e.Cluster] = i
		}
		weight += int64(e.Weight * max(c.DataParallelRanks, 1))
	}
	if weight > 0 && weight*int64(c.Ring.Vnodes) > ring.MaxPoints {
		return &Error{Field: "ring.vnodes", Msg: strconv.Itoa(c.Ring.Vnodes) + " times the total weight " + strconv.FormatInt(weight, 10) +
			" is above the maximum of " + strconv.Itoa(ring.MaxPoints) + " points (use smaller weights or at most " +
			strconv.FormatInt(ring.MaxPoints/weight, 10) + " vnodes)"}
	}
	return nil
}
