package bench

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseTargets(t *testing.T) {
	got, err := ParseTargets([]string{"http://127.0.0.1:80", "b=http://127.0.0.1:80"}, false)
	if want := []Target{{"127.0.0.1:80", "http://127.0.0.1:80"}, {"b", "http://127.0.0.1:80"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	for texts, want := range map[string]string{"http://127.0.0.1:1 http://127.0.0.1:1": "given twice", "http://192.0.2.1:1": "192.0.2.1", "a=127.0.0.1": "is not http://host:port",
		"http://127.0.0.1:80/v1": "of their own: http://127.0.0.1:80", "http://127.0.0.1:80/team/v1/": "of their own: http://127.0.0.1:80/team"} {
		if _, err := ParseTargets(strings.Fields(texts), false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", texts, err, want)
		}
	}
}

// Each target has each place equally often in 2n rounds.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		n    int
		want string
	}{{1, "[[0] [0]]"}, {2, "[[0 1] [1 0] [1 0] [0 1]]"}, {3, "[[0 1 2] [1 2 0] [2 0 1] [2 1 0] [1 0 2] [0 2 1]]"}} {
		order := make([][]int, 2*c.n)
		for round := range order {
			for i := range c.n {
				order[round] = append(order[round], Turn(i, round, c.n))
			}
		}
		if got := fmt.Sprint(order); got != c.want {
			t.Errorf("%d targets: %s, want %s", c.n, got, c.want)
		}
	}
}
