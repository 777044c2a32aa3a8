package config

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

// Role is what a filter is for.
type Role uint8

// The roles, in the order of the schema's enum.
const (
	RoleGateway Role = iota
	RolePeers        // answers other gateways
	RoleGate         // holds requests until the filter that routes has chosen
)

// From says whose requests are meant.
type From uint8

// Whose, in the order of the schema's enum.
const (
	FromInternal From = iota // those that Envoy takes for internal
	FromAny
)

// Trust says how gateways know each other.
type Trust uint8

// The ways, in the order of the schema's enum.
const (
	TrustSecret Trust = iota
	TrustMTLS         // by the identity in their certificates
)

var (
	roleNames   = []string{"gateway", "peers", "gate"}
	fromNames   = []string{"internal", "any"}
	trustNames  = []string{"secret", "mtls"}
	targetNames = []string{"endpoint", "cluster", "hash"}
	viaNames    = []string{"header", "property"}
)

// String returns the name used in the configuration.
func (r Role) String() string { return nameOf(roleNames, uint8(r)) }

// String returns the name used in the configuration.
func (t Target) String() string { return nameOf(targetNames, uint8(t)) }

// String returns the name used in the configuration.
func (v Via) String() string { return nameOf(viaNames, uint8(v)) }

func nameOf(names []string, i uint8) string {
	if int(i) < len(names) {
		return names[i]
	}
	return "unknown"
}

// String returns the name used in the configuration.
func (t Trust) String() string { return nameOf(trustNames, uint8(t)) }

// String returns the name used in the configuration.
func (f From) String() string { return nameOf(fromNames, uint8(f)) }
