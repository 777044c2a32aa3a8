package checks

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// idleSettings names settings that are taken and change nothing beside the others.
func idleSettings(f *manifest.Filter, c *config.Config) (out []finding.Finding) {
	say := func(what, cure string) { out = append(out, finding.Weak.At(f.Where, what, cure)) }
	var used []config.Policy
	for _, p := range manifest.PoolsOf(c) {
		here := inForce(&p)
		used = append(used, here...)
		if p.Shadow == p.Policy {
			say("shadow is the policy itself, "+p.Policy.String()+": both decide alike, for as much memory and time again", "another shadow, such as join_shortest_queue, or none")
		}
		if p.Experiment.Share > 0 && p.Experiment.Policy == p.Policy {
			say("experiment.policy is the policy itself, "+p.Policy.String()+": both arms decide alike", "another experiment.policy")
		}
		if c.Record && p.Steer.Target == config.TargetHash {
			say("record describes no request where steer.target is hash", "steer: {target: endpoint}, or no record")
		}
		if c.PolicyHeader != "" { // any policy may decide
			continue
		}
		if p.HoldLimit > 0 && !slices.Contains(here, config.PolicyCacheAware) && has(f, "hold_limit") { // not by default
			say("hold_limit holds no request: only cache_aware does, and the policy is "+p.Policy.String(), "policy: cache_aware, or no hold_limit")
		}
		if p.CrossZone > 0 && !slices.Contains(here, config.PolicyCacheAware) && !slices.Contains(here, config.PolicyExpectedTTFT) {
			say("cross_zone costs nothing: cache_aware and expected_ttft alone count it, and the policy is "+p.Policy.String(), "policy: cache_aware, or no cross_zone")
		}
	}
	for _, p := range c.Paths {
		if strings.Contains(strings.TrimSuffix(p.Path, "/**"), "*") {
			say("the * in the path "+p.Path+" stands for itself alone", "{name} for one part of a path; /** at its end for all of vLLM's paths behind a prefix")
		}
	}
	if remembered := indexBytes(c); remembered > config.MostOfIndexes {
		say(fmt.Sprintf("index_bytes come to %d MiB: all indexes of a worker have %d together, and those that fill last have little", remembered>>20, config.MostOfIndexes>>20), "index_bytes: less, in all pools")
	}
	if runs := func(p config.Pool) bool { return p.Experiment.Share > 0 }; has(f, "experiment") && !slices.ContainsFunc(manifest.PoolsOf(c), runs) {
		say("experiment.share is 0: no request is in the experiment", "experiment: {share: 0.5, …}, or no experiment")
	}
	if c.PolicyHeader != "" {
		return out
	}
	for _, p := range []config.Policy{config.PolicyPrefixHash, config.PolicyLRUMatch, config.PolicyCacheAware, config.PolicyExpectedTTFT} {
		readers := []config.Policy{p}
		if p == config.PolicyPrefixHash {
			readers = append(readers, config.PolicyLRUMatch) // whose key it is
		}
		if has(f, p.String()) && !slices.ContainsFunc(readers, func(r config.Policy) bool { return slices.Contains(used, r) }) {
			say("the settings of "+p.String()+" change nothing: no request is decided by it", "policy: "+p.String()+", or no "+p.String())
		}
	}
	return out
}

// indexBytes is what the indexes of all pools may take, as far as their number is known.
func indexBytes(c *config.Config) (sum int) {
	for i, p := range manifest.PoolsOf(c) {
		if len(c.Pools) > 0 && c.Pools[i].Off {
			continue
		}
		sum += p.IndexBytes
		if p.Shadow.NeedsIndex() {
			sum += p.IndexBytes
		}
	}
	return sum
}

// inForce are the policies that decide requests of a pool, or as a shadow.
func inForce(p *config.Pool) []config.Policy {
	all := []config.Policy{p.Policy, p.Shadow}
	if p.Experiment.Share > 0 {
		all = append(all, p.Experiment.Policy)
	}
	return all
}

// has says whether a text, or an object that is not empty, stands at the top of the document, or in one of its pools.
func has(f *manifest.Filter, field string) bool {
	var document any
	if json.Unmarshal(f.JSON, &document) != nil {
		return false
	}
	for _, at := range append([]any{document}, tree.Items(document, "pools")...) {
		switch v := tree.Member(at, field).(type) {
		case map[string]any:
			if len(v) > 0 {
				return true
			}
		case string:
			return true
		}
	}
	return false
}
