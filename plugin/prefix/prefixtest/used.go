// Package prefixtest shows to tests what an index does not say itself.
package prefixtest

import "warmroute/plugin/prefix"

// Used is how many of a chain's leading blocks requests on their way use at an endpoint. To find out, all that is idle there is evicted.
func Used(x *prefix.Index, endpoint int, chain *prefix.Chain) (blocks int) {
	const size = 256
	held := x.Held(endpoint)
	fits, _ := x.Capacity(endpoint)
	defer x.SetCapacity(endpoint, fits)
	x.KeepUsed(true)
	x.SetCapacity(endpoint, held+size)
	for n := range held/size + 2 {
		x.Insert(endpoint, &prefix.Chain{Hash: []uint64{1<<63 | uint64(n)}, End: []uint32{size}}, 1)
	}
	depth := make([]int32, x.Endpoints())
	x.Match(chain.Hash, depth)
	return int(depth[endpoint])
}
