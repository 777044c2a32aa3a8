package cases

import (
	"fmt"
	"strings"
	"testing"
)

// Servers of hybrid models find prompts again in large blocks, half of them only where a step ended; a load's blocks are parts of theirs.
func TestDrawnHybrid(t *testing.T) {
	aligned, all := 0, DrawnHybrid(60, 3)
	alike(t, all, DrawnHybrid(5, 3))
	for _, c := range all {
		p, err := c.Profile()
		if err != nil {
			t.Fatalf("%s, %s: %v", c.ID, c.What, err)
		}
		aligned += p.AlignedStates
		if p.BlockSize < 272 || !strings.HasPrefix(c.ID, "hybrid-3-") || !strings.Contains(c.What, fmt.Sprintf("{blocks of %d tokens", p.BlockSize)) || strings.Contains(c.What, "states where steps ended") != (p.AlignedStates == 1) {
			t.Errorf("%s: %s: blocks of %d", c.ID, c.What, p.BlockSize)
		}
		if c.Published {
			continue
		}
		o, err := c.Options("", 1)
		if err != nil {
			t.Fatalf("%s, %s: %v", c.ID, c.What, err)
		}
		if of := o.Trace.BlockSize; of == 0 || o.Profile.BlockSize != of*o.Profile.HashedBlocks || 2*max(o.Profile.BlockSize-p.BlockSize, p.BlockSize-o.Profile.BlockSize) > of {
			t.Errorf("%s: %s: blocks of %d tokens, %d of a trace's %d", c.ID, c.What, o.Profile.BlockSize, o.Profile.HashedBlocks, of)
		}
	}
	if aligned < 20 || aligned > 40 {
		t.Errorf("%d of 60 keep states where steps ended, want about half", aligned)
	}
}
