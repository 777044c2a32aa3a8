package contender

import (
	"testing"

	"warmroute/plugin/config"
)

// The policies of the study come first, then all others, in the table's order; and the default is the schema's.
func TestPolicies(t *testing.T) {
	if len(Policies) != int(config.Policies) {
		t.Errorf("%d policies, want %d: %v", len(Policies), config.Policies, Policies)
	}
	c, err := config.Parse([]byte(`{"endpoints": ["10.0.0.1:80"]}`))
	if err != nil || c.Policy.String() != Default {
		t.Errorf("the default is %v (%v), want %s", c.Policy, err, Default)
	}
}
