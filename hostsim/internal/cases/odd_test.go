package cases

import "testing"

// A case with odd cards has the fleet and the kind of load of the drawn one, and can be played.
func TestOddCards(t *testing.T) {
	usual, all := Drawn(20, 3), DrawnOdd(20, 3)
	alike(t, all, DrawnOdd(5, 3))
	for i, c := range all {
		if c.Replicas != usual[i].Replicas || c.Gateways != usual[i].Gateways || c.Published != usual[i].Published || c.What == usual[i].What {
			t.Errorf("%s: %s; %s: %s", c.ID, c.What, usual[i].ID, usual[i].What)
		}
		if c.Published {
			continue
		}
		o, err := c.Options("", 1)
		if err == nil {
			err = o.Profile.Validate()
		}
		if err != nil {
			t.Errorf("%s, %s: %v", c.ID, c.What, err)
		}
	}
}
