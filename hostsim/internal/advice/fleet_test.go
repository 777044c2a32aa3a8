package advice

import "testing"

func TestLeast(t *testing.T) {
	for want := 1; want <= 9; want++ {
		got, err := least(1, 9, func(n int) (bool, error) { return n >= want, nil })
		if err != nil || got != want {
			t.Errorf("%d, %v; want %d", got, err, want)
		}
	}
}
