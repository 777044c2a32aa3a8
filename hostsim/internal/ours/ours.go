// Package ours is our own logic as routers of a run: the shipped module on a simulated proxy, the same Go code natively, and that code with
// a directory of caches that is refreshed now and then. The first two give the same decisions for the same requests in the same order; a
// differential test says so.
package ours

import (
	"hash/fnv"

	"warmroute/plugin/news"
)

// syncSecret is shared by all gateways of a run.
const syncSecret = "the secret of a simulated gateway"

var syncSecrets, _ = news.ReadSecrets(syncSecret)

// incarnation is the seed of what a gateway takes for random: a hash of its configuration, which ends in another number of spaces at each
// start of a run. So a run is the same each time.
func incarnation(configuration []byte) uint64 {
	h := fnv.New64a()
	h.Write(configuration)
	return h.Sum64()
}

// epoch is the proxy's time at 0, in ns since 1970: the beginning of 2026. Any will do that is the same each time.
const epoch = 1_767_225_600_000_000_000
