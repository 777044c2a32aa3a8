// Package config turns the plugin's JSON configuration into a Config, or into an
// error that names the field and what is allowed there.
//
// schema.json is the one source of defaults, ranges, enumerations and docs. Parse
// walks it and the document side by side (a subset of JSON Schema 2020-12, with
// the formats of formats.go), then fills the struct. README.md in this folder is
// the table of all fields. go generate makes it, the schema's enums and descriptions of policies and formats, and
// schema.min.json, which the module embeds.
package config

//go:generate go test -run ^Test(SchemaIsInStep|Readme|ChartSchema)$ -update

import "warmroute/plugin/prompt"

// Config is a checked configuration with every default filled in.
type Config struct {
	Pool                         // the only one, or what those of Pools have in common
	Pools            []NamedPool // at most 256; none: one pool
	several          bool        // it is one of several pools: Of
	Role             Role
	Peers            Peers
	ScanBytes        int           // bytes of the body read before the decision, at most; 0: 2 MiB, 4 MiB with ViaProperty
	MaxInspecting    int           // paused requests per worker, 1 to 65536
	MaxHeldBytes     int           // of their bodies, 1 MiB to 1 GiB
	DecideTimeout    int64         // nanoseconds, 10 ms to 60 s
	BlockBytes       int           // bytes of a prompt's first blocks, 16 to 1020, a multiple of 4
	Paths            []prompt.Rule // request paths to inspect beside the built-in ones, in order
	SessionHeaders   []string      // lower-case names, in order of preference
	TenantHeader     string        // lower-case name, or "" for none
	ResponseHeader   string        // lower-case name, or "" for none
	AskHeader        string        // lower-case name, or "" if all responses have the ResponseHeader
	AskSecretEnv     string        // name of the environment variable with the AskHeader's value, or "" for any
	PolicyHeader     string        // lower-case name, or "" for none
	PolicyHeaderFrom From          // whose PolicyHeader counts
	MetricEndpoints  int           // with metrics of their own, 1 to 1024
	Zone             string        // of this proxy; "": the caller sets it, if it is known
	Seed             uint64        // 0 to 2^53; 0: the caller seeds by its clock
	Record           bool          // describe requests for a replay, without text
	RecordPerSecond  int           // requests described per second and worker, 1 to 100000
	RecordSecret     [2]uint64     // key of the hashes in records; as Secret
	Secret           uint64        // key of block hashes, alike in gateways that share news; not in the document: the caller sets it
	TableSecret      uint64        // key of the index, the proxy's own; as Secret, 0 in simulations
}

// Pool is the settings of one pool of endpoints.
type Pool struct {
	Shadow     Policy // PolicyNone for none
	Experiment Experiment
	Policy     Policy
	Endpoints  []Endpoint // at most 1024, of distinct addresses; none if Discovery has a cluster, maybe none if Steer.Target is TargetHash
	Discovery  Discovery
	Scrape     Scrape
	Steer      Steer
	Settings
	AdapterLoad       int64 // nanoseconds that loading a LoRA adapter takes, 0 to 60 s
	CrossZone         int64 // nanoseconds that an endpoint in another zone costs, 0 to 60 s
	DataParallelRanks int   // data-parallel ranks of each server, 1 to 64: above 1 each is an Endpoint (ranks.go); 0: learned (LearnsRanks)
	ToolsFirst        bool  // the chat template has tools before the system prompt
	HoldLimit         int64 // nanoseconds that a new prompt is held where memory is short, 0 to 4 min; 0: never
	SlowStart         int64 // nanoseconds that an endpoint which joins is slow to start, 0 to 15 min
	IndexBytes        int   // of the index of what the endpoints' caches hold; 0: no index. At least 65536 if the policy needs it
	Ring              Ring
}

// Experiment routes a share of the sessions, or of the time, by another policy.
type Experiment struct {
	Share  float64 // 0 to 1; 0: none
	Policy Policy
	Window int64 // nanoseconds, to 1 h: the policies take turns on all requests, the experiment's for as long at a time; 0: a share of the sessions
}

// Endpoint is one routing target.
type Endpoint struct {
	Address  string // ip:port as Envoy prints it: IPv6 in the form of RFC 5952, in brackets. Of a rank ip:port#rank
	Listener string // of Envoy itself, that leads there, as clusters.Host has it; "": none, or not discovered
	Cluster  string // "" unless given; never "" if Steer.Target is TargetCluster
	Weight   int    // 1 to 1000
	Zone     string // "": not known
}

// Discovery says where to find the endpoints, if Endpoints has none.
type Discovery struct {
	Cluster      string // whose hosts are the endpoints; "" for none
	AdminCluster string // that leads to Envoy's admin interface
	Interval     int64  // nanoseconds, 100 ms to 5 min
	Timeout      int64  // nanoseconds, 10 ms to 60 s
}

// Scrape says how the replicas' metrics are read.
type Scrape struct {
	Cluster  string // that reaches any endpoint by EndpointHeader; "" if each has its own, or metrics are not read
	Path     string // of the metrics; "" if they are not read
	Interval int64  // nanoseconds, 100 ms to 5 min
	Timeout  int64  // nanoseconds, 10 ms to 60 s

	Models         string // path of the lists of models; "" if they are not read
	ModelsInterval int64  // nanoseconds, 100 ms to 5 min
}

// Peers says how gateways tell each other what they have routed.
type Peers struct {
	Cluster      string   // of the other gateways' listeners; "": nothing is shared
	Addresses    []string // its hosts; none: the admin interface lists them
	Path         string
	Interval     int64 // nanoseconds, 20 ms to 10 s
	Timeout      int64 // nanoseconds, 10 ms to 60 s
	ListenerPort int   // where the filter that routes answers them; 0: nowhere
	Trust        Trust
	SecretEnv    string // name of the environment variable, for TrustSecret
}

// Steer says how the choice is passed to Envoy.
type Steer struct {
	Target     Target
	Via        Via
	Header     string // lower-case name; the target's own if none was configured
	Cluster    string // for ClusterHeader; "" leaves the cluster to the route
	Candidates int    // endpoints passed to Envoy, 2 to 16 (fewer if the pool has fewer)
}

// Ring configures the consistent hash ring.
type Ring struct {
	Vnodes int // points per endpoint and weight, 1 to 4096
}

// Headers that carry the choice if steer.header is empty.
const (
	EndpointHeader = "x-gateway-destination-endpoint" // what override_host reads (Gateway API Inference Extension)
	ClusterHeader  = "x-warmroute-cluster"
	KeyHeader      = "x-warmroute-key"
)

// Parse reads a configuration. Empty input is the empty object. A non-nil error
// is an *Error with a field or a position: the first of Faults.
func Parse(json []byte) (Config, error) {
	c, faults := parse(json)
	if len(faults) > 0 {
		return Config{}, faults[0]
	}
	return *c, nil
}

// Faults are all that is wrong with a configuration, in the order of the document: what is wrong with fields by themselves, then
// what is wrong with several others at once. At most 51, of which the last says that there are more.
func Faults(json []byte) []*Error {
	c, faults := parse(json)
	if c == nil && len(faults) < mostFaults && faults[0].Field != "" {
		faults = append(faults, together(json, faults)...)
	}
	if len(faults) > mostFaults {
		faults[mostFaults] = &Error{Field: faults[mostFaults].Field, Msg: "this and more is wrong"}
	}
	return faults
}

func parse(json []byte) (*Config, []*Error) {
	if isBlank(json) {
		json = []byte("{}")
	}
	document, fault := read(json)
	if fault == nil && document.kind != isObject {
		fault = &Error{Line: 1, Column: 1, Msg: "an object is needed, not " + show(document)}
	}
	if fault != nil {
		return nil, []*Error{fault}
	}
	root, fault := readRoot()
	if fault != nil { // not reached: a test reads the schema
		return nil, []*Error{fault}
	}
	f := faults{root: root}
	if f.validate(root, document, ""); len(f.list) > 0 {
		return nil, f.list
	}
	c := fill(node{root, document, nil})
	if c.check(document, &f); len(f.list) == 0 {
		c.spreadRanks()
		for i := range c.Pools {
			c.Pools[i].spreadRanks()
		}
	}
	return c, f.list
}
