package config

// Policy chooses the endpoint of a request.
type Policy uint8

// The policies, in the order of the schema's enums. Another one goes before PolicyNone, and into the table below.
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

	Policies = PolicyNone // how many there are: for p := range config.Policies
)

// input is what a policy decides by.
type input uint8

const (
	byLoad   input = iota
	byKey          // an affinity key of the prompt alone
	byCaches       // what the endpoints' caches hold
)

// policies is the one table of them. From it come the schema's enums and the description of `policy` (go generate),
// hostsim's lists and the loops of the tests. The rule is for the documents; it is empty where the name says it all.
var policies = [Policies]struct {
	name string
	by   input
	rule string
}{
	PolicyRandom:            {"random", byLoad, ""},
	PolicyRoundRobin:        {"round_robin", byLoad, ""},
	PolicyJoinShortestQueue: {"join_shortest_queue", byLoad, "fewest waiting"},
	PolicyPowerOfTwo:        {"power_of_two", byLoad, "the less busy of two at random"},
	PolicySessionAffinity:   {"session_affinity", byKey, "the session"},
	PolicyPrefixKey:         {"prefix_key", byKey, "the system prompt and tools"},
	PolicyPrefixHash:        {"prefix_hash", byKey, "the first `prefix_hash.prefix_chars`, with bounded loads"},
	PolicyLRUMatch:          {"lru_match", byCaches, "the least used of those that had the prompt's beginning lately"},
	PolicyCacheAware:        {"cache_aware", byCaches, "the least cost to all users, in prompt tokens that are waited for"},
	PolicyExpectedTTFT:      {"expected_ttft", byCaches, "the least expected time to the first token"},
}

// String returns the name used in the configuration.
func (p Policy) String() string {
	switch {
	case p < Policies:
		return policies[p].name
	case p == PolicyNone:
		return ""
	}
	return "unknown"
}

// PolicyNamed is the policy of that name; PolicyNone if there is none.
func PolicyNamed(name string) Policy {
	for p := range Policies {
		if policies[p].name == name {
			return p
		}
	}
	return PolicyNone
}

// ByLoad says whether the policy looks at no prompt.
func (p Policy) ByLoad() bool { return p.by(byLoad) }

// HasKey says whether the policy decides by an affinity key of the prompt alone, which needs no endpoints.
func (p Policy) HasKey() bool { return p.by(byKey) }

// NeedsIndex says whether the policy decides by what the endpoints' caches hold.
func (p Policy) NeedsIndex() bool { return p.by(byCaches) }

func (p Policy) by(what input) bool { return p < Policies && policies[p].by == what }

// keyed lists the policies that have a key of their own.
func keyed() (names string) {
	for p := range Policies {
		if p.HasKey() {
			if names != "" {
				names += ", "
			}
			names += p.String()
		}
	}
	return names
}

// Settings are the settings of single policies.
type Settings struct {
	PrefixHash   PrefixHash
	LruMatch     LruMatch
	CacheAware   CacheAware
	ExpectedTtft ExpectedTtft
}

// PrefixHash configures PolicyPrefixHash.
type PrefixHash struct {
	PrefixChars int // characters of the prompt, 1 to 65536
	Bound
}

// LruMatch configures PolicyLRUMatch.
type LruMatch struct {
	Capacity int // prompt beginnings per endpoint, 1 to 1000000
}

// CacheAware configures PolicyCacheAware.
type CacheAware struct {
	Affinity float64 // κ, weight of a token to compute relative to one that is queued, 0 to 1000
	Bound
}

// ExpectedTtft configures PolicyExpectedTTFT.
type ExpectedTtft struct{ Bound }

// Bound bounds the requests at an endpoint.
type Bound struct {
	LoadFactor float64 // bound ÷ fair share of all, 1 to 100
	LoadMargin int     // requests allowed above that, 0 to 100000
}

// settings fills the settings of all policies.
func (n node) settings() Settings {
	prefix, aware := n.at("prefix_hash"), n.at("cache_aware")
	return Settings{
		PrefixHash: PrefixHash{
			PrefixChars: prefix.at("prefix_chars").integer(),
			Bound:       prefix.bound(),
		},
		LruMatch: LruMatch{Capacity: n.at("lru_match").at("capacity").integer()},
		CacheAware: CacheAware{
			Affinity: aware.at("affinity").number(),
			Bound:    aware.bound(),
		},
		ExpectedTtft: ExpectedTtft{n.at("expected_ttft").bound()},
	}
}

func (n node) bound() Bound {
	return Bound{n.at("load_factor").number(), n.at("load_margin").integer()}
}
