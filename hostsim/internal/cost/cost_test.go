package cost

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"
)

// Bodies are JSON of the size asked for; each turn goes on with the one before, and the first begins anew.
func TestTalk(t *testing.T) {
	for _, c := range []Case{{Bytes: 4096, Turns: 1}, {Bytes: 32 << 10, Turns: 4}, {Bytes: 1 << 20, Turns: 1}} {
		all, last := talk{random: rand.New(rand.NewPCG(1, 2)), c: c}, ""
		for i := range 9 {
			body, before := all.next()
			turn := i%c.Turns + 1
			if want := c.Bytes * turn / c.Turns; len(body) > want+200 || len(body) < want-200 || !json.Valid(body) {
				t.Fatalf("%s: turn %d has %d bytes, want about %d of JSON", c, turn, len(body), want)
			}
			if turn == 1 && before != 0 || turn > 1 && string(body[:before]) != last[:before] {
				t.Fatalf("%s: turn %d goes on after %d bytes", c, turn, before)
			}
			if turn == 1 && last == string(body) {
				t.Fatalf("%s: the same prompt twice", c)
			}
			last = string(body)
		}
	}
}

func TestThreads(t *testing.T) {
	cpu, err := threads(os.Getpid())
	if err != nil || cpu["main"]+cpu["other"] == 0 || resident(os.Getpid()) == 0 {
		t.Errorf("this process: %v, %v, %d bytes", cpu, err, resident(os.Getpid()))
	}
}
