package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestStudent(t *testing.T) {
	for degrees, want := range map[int]float64{1: 12.706, 9: 2.262, 10: 2.262, 12: 2.201, 1000: 2.001} {
		if got := Student(degrees); got != want {
			t.Errorf("%d degrees: %v, want %v", degrees, got, want)
		}
	}
}

// The interval of a mean holds the true one in about 95 of 100 draws, where measurements of one cluster are alike.
func TestHalf(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const draws, n = 2000, 16
	held := 0
	for range draws {
		clusters := make([]Cluster, n)
		for i := range clusters {
			alike := rng.NormFloat64()
			for range 5 + rng.IntN(10) {
				clusters[i].N++
				clusters[i].Sum += 10 + alike + rng.NormFloat64()
			}
		}
		mean := Mean(clusters)
		if math.Abs(mean-10) <= mean*Half(Variance(Residuals(clusters)), n-1) {
			held++
		}
	}
	if share := float64(held) / draws; share < .92 || share > .97 {
		t.Errorf("%.3f of the intervals hold the mean; want about .95", share)
	}
}
