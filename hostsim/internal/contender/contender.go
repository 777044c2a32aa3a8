// Package contender has the policies that studies hold against each other: the module's own and the peers', which of them go by load
// alone, and the engine that plays them. It knows replays, and no load or study.
package contender

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/peers"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/router"
	"warmroute/plugin/config"
)

// Default is the module's default policy.
const Default = "cache_aware"

// Policies are all of the module's, the six of the study first.
var Policies = allPolicies("round_robin", "join_shortest_queue", "power_of_two", "session_affinity", "prefix_key", Default)

// LoadOnly are policies that know nothing of prompts, and that a gateway without this module could have.
var LoadOnly = []string{"join_shortest_queue", "power_of_two", "peer:kubeai_least_load"}

// ScrapeEvery is how often gateways read the replicas' metrics in studies, as the module does by default; peers do at their own pace.
const ScrapeEvery = time.Second

func allPolicies(first ...string) []string {
	for p := range config.Policies {
		if !slices.Contains(first, p.String()) {
			first = append(first, p.String())
		}
	}
	return first
}

// ByLoad says whether a policy, ours or a peer's, looks at load alone, or at nothing.
func ByLoad(policy string) bool {
	for p := range config.Policies {
		if p.ByLoad() && p.String() == policy {
			return true
		}
	}
	return policy == "peer:kubeai_least_load"
}

// Set sets the policy. Those by load then read no metrics: a gateway without this module knows its own requests only, and by these
// they do better (docs/study.md, stale knowledge).
func Set(o *replay.Options, policy string) {
	if o.Policy = policy; ByLoad(policy) {
		o.Scrape = 0
	}
}

// Native makes the engine that a configuration (JSON) asks for, with that many workers: a peer's policy, or our own code natively.
// Errors: a policy or setting that is not known.
func Native(configuration []byte, workers int) (router.Engine, error) {
	if peers.Is(configuration) {
		return peers.New(configuration)
	}
	return ours.NewNative(configuration, workers)
}

// Check says what is wrong with a policy's name.
func Check(policy string) error {
	configuration, err := json.Marshal(map[string]any{"policy": policy, "endpoints": []string{"127.0.0.1:8000"}, "seed": 1})
	if err != nil {
		return err
	}
	engine, err := Native(configuration, 1)
	if err != nil {
		return fmt.Errorf("policy %s: %w", policy, err)
	}
	return engine.Close()
}
