package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/prefix"
	"warmroute/plugin/why"
)

// policies makes each policy. A policy is named here and in config's table, nowhere else.
var policies = [...]func(cfg *config.Config, r *Router, seed source) policy{
	config.PolicyRandom:            newRandom,
	config.PolicyRoundRobin:        newRoundRobin,
	config.PolicyJoinShortestQueue: newJoinShortestQueue,
	config.PolicyPowerOfTwo:        newPowerOfTwo,
	config.PolicySessionAffinity:   newSessionAffinity,
	config.PolicyPrefixKey:         newPrefixKey,
	config.PolicyPrefixHash:        newPrefixHash,
	config.PolicyLRUMatch:          newLRUMatch,
	config.PolicyCacheAware:        newCacheAware,
	config.PolicyExpectedTTFT:      newExpectedTTFT,
}

// keyed are the policies that have an affinity key, for the steering target hash: the key, or what is missing.
var keyed = [...]func(cfg *config.Config, seed uint64, req *decision.Request) (key uint64, code why.Code){
	config.PolicySessionAffinity: func(_ *config.Config, seed uint64, req *decision.Request) (uint64, why.Code) {
		return sessionKey(seed, req)
	},
	config.PolicyPrefixKey: func(_ *config.Config, seed uint64, req *decision.Request) (uint64, why.Code) {
		return systemKey(seed, req)
	},
	config.PolicyPrefixHash: func(cfg *config.Config, seed uint64, req *decision.Request) (uint64, why.Code) {
		return beginningKey(seed, req, cfg.PrefixHash.PrefixChars), ""
	},
}

// IndexBytes is how much of the configured memory the pool's index gets: lru_match uses half of it itself.
func IndexBytes(cfg *config.Config) int {
	if cfg.Policy == config.PolicyLRUMatch {
		return cfg.IndexBytes / 2
	}
	return cfg.IndexBytes
}

// lruMatchBytes is that half.
func lruMatchBytes(cfg *config.Config) int { return max(cfg.IndexBytes/2, prefix.MinIndexBytes) }
