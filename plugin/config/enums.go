package config

// Policy chooses the endpoint of a request.
type Policy uint8

// The policies, in the order of the schema's enum.
const (
	PolicyRandom Policy = iota
	PolicyRoundRobin
	PolicyJoinShortestQueue
	PolicyPowerOfTwo
	PolicySessionAffinity
	PolicyPrefixKey
	PolicyPrefixHash
	PolicyLRUMatch
	PolicyCacheAware
	PolicyExpectedTTFT
	PolicyNone // for the shadow; its name is empty
)

// NeedsIndex says whether the policy decides by what the endpoints' caches hold.
func (p Policy) NeedsIndex() bool {
	return p == PolicyLRUMatch || p == PolicyCacheAware || p == PolicyExpectedTTFT
}

// HasKey says whether the policy decides by an affinity key of the prompt alone, which can be told without endpoints.
func (p Policy) HasKey() bool {
	return p == PolicySessionAffinity || p == PolicyPrefixKey || p == PolicyPrefixHash
}

// Target is what is named to Envoy.
type Target uint8

// The targets, in the order of the schema's enum.
const (
	TargetEndpoint Target = iota // addresses, for override_host
	TargetCluster                // one cluster, for cluster_header
	TargetHash                   // an affinity key, for ring_hash and maglev
)

// Via is what carries the choice to Envoy.
type Via uint8

// The carriers, in the order of the schema's enum.
const (
	ViaHeader Via = iota
	ViaProperty
)

// Format is how a request body is read.
type Format uint8

// The formats, in the order of the schema's enum.
const (
	FormatChat Format = iota
	FormatCompletions
	FormatResponses
	FormatMessages
	FormatGenerate
	FormatByLoad  // not read: load alone decides
	FormatPointer // the text at a JSON Pointer
	FormatBuiltIn // those of the built-in paths, behind a prefix; its name is empty
)

var (
	policyNames = []string{
		"random", "round_robin", "join_shortest_queue", "power_of_two", "session_affinity", "prefix_key", "prefix_hash",
		"lru_match", "cache_aware", "expected_ttft", "",
	}
	targetNames = []string{"endpoint", "cluster", "hash"}
	viaNames    = []string{"header", "property"}
	formatNames = []string{"chat", "completions", "responses", "messages", "generate", "by_load", "pointer", ""}
)

// String returns the name used in the configuration.
func (p Policy) String() string { return nameOf(policyNames, uint8(p)) }

// String returns the name used in the configuration.
func (t Target) String() string { return nameOf(targetNames, uint8(t)) }

// String returns the name used in the configuration.
func (v Via) String() string { return nameOf(viaNames, uint8(v)) }

// String returns the name used in the configuration.
func (f Format) String() string { return nameOf(formatNames, uint8(f)) }

func nameOf(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return "unknown"
}
