package stats

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"
)

func upTo(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = float64(i + 1)
	}
	return values
}

func TestNewDist(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Dist
	}{
		{nil, Dist{}},
		{[]float64{7}, Dist{7, 7, 7, 7}},
		{[]float64{3, 1}, Dist{2, 1, 3, 3}},
		{[]float64{-1, -3, -2}, Dist{-2, -2, -1, -1}},
		{upTo(20), Dist{10.5, 10, 19, 20}}, // exactly at a rank
		{upTo(21), Dist{11, 11, 20, 21}},
		{upTo(100), Dist{50.5, 50, 95, 99}},
		{upTo(101), Dist{51, 51, 96, 100}},
		{upTo(1000), Dist{500.5, 500, 950, 990}},
	} {
		if got := NewDist(c.values); got != c.want {
			t.Errorf("%d values: got %v, want %v", len(c.values), got, c.want)
		}
	}
}

// The order of the values does not matter, and is left as it was.
func TestNewDistLeavesValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	values := make([]float64, 999)
	for i := range values {
		values[i] = random.ExpFloat64()
	}
	want := NewDist(values)
	for range 20 {
		random.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		before := slices.Clone(values)
		if got := NewDist(values); got != want {
			t.Fatalf("in another order: got %v, want %v", got, want)
		}
		if !slices.Equal(values, before) {
			t.Fatal("the values were moved")
		}
	}
	if !(want.P50 <= want.P95 && want.P95 <= want.P99) {
		t.Errorf("percentiles out of order: %v", want)
	}
}

// Programs read these names.
func TestJSON(t *testing.T) {
	got, err := json.Marshal(Dist{1, 2, 3, 4})
	if want := `{"mean":1,"p50":2,"p95":3,"p99":4}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
}
