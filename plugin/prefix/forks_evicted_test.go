package prefix

import "testing"

// A conversation of which the cache evicts the end, within a run, and that is sent again, forks nothing, however often.
func TestEvictedEndsForkNothing(t *testing.T) {
	for _, holders := range []int{1, 2} {
		x := NewIndex(2, 1<<20, 7)
		depth, chain := make([]int32, 2), []uint64{}
		for i := range uint64(2 * runBlocks) {
			chain = append(chain, (i+1)*golden)
		}
		for now := range uint32(6) {
			for e := range holders {
				x.Insert(e, plain(chain...), now)
			}
			if x.Match(chain, depth); x.Shared() != 0 || x.Parted() != 0 {
				t.Fatalf("%d holders, sent %d times: %d blocks are shared and %d parted", holders, now+1, x.Shared(), x.Parted())
			}
			for e := range holders {
				x.Expire(e, now, int64(runBlocks+1+now))
			}
			if x.Match(chain, depth); int(depth[0]) != runBlocks-1-int(now) || x.Shared() != 0 || x.Parted() != 0 {
				t.Fatalf("%d holders, sent %d times, and %d blocks are left: %d are shared and %d parted", holders, now+1, depth[0], x.Shared(), x.Parted())
			}
		}
		checkTables(t, x)
	}
}
