package stats

import (
	"cmp"
	"math"
	"slices"
)

// Student is the quantile 0.975 of Student's distribution (Biometrika, 1908) by degrees of freedom, at least 1; between and
// beyond the table, that of fewer degrees.
func Student(degrees int) float64 {
	table := []struct {
		degrees int
		value   float64
	}{{1, 12.706}, {2, 4.303}, {3, 3.182}, {4, 2.776}, {5, 2.571}, {6, 2.447}, {7, 2.365}, {8, 2.306}, {9, 2.262}, {11, 2.201}, {14, 2.145}, {15, 2.131}, {19, 2.093}, {29, 2.045}, {59, 2.001}}
	at, found := slices.BinarySearchFunc(table, degrees, func(row struct {
		degrees int
		value   float64
	}, d int) int {
		return cmp.Compare(row.degrees, d)
	})
	if !found {
		at--
	}
	return table[at].value
}

// Cluster is a group of measurements that are alike: their number and their sum.
type Cluster struct{ N, Sum float64 }

// Mean is the mean over all clusters' measurements; NaN for none.
func Mean(clusters []Cluster) float64 {
	n, sum := total(clusters)
	return sum / n
}

// Residuals are what each cluster has of the sum less what it has of the number: 0 where all clusters have the same mean. By
// them, n ÷ (n − 1) · Σ residual² is the relative variance of Mean over n clusters (Cochran, Sampling Techniques, 1977, chapters
// 6 and 9A).
func Residuals(clusters []Cluster) []float64 {
	n, sum := total(clusters)
	out := make([]float64, len(clusters))
	for i, c := range clusters {
		out[i] = c.Sum/sum - c.N/n
	}
	return out
}

// Variance is the relative variance of a mean, or of a ratio of two, with these residuals.
func Variance(residuals []float64) float64 {
	square, n := 0.0, float64(len(residuals))
	for _, r := range residuals {
		square += r * r
	}
	return square * n / (n - 1)
}

// Half is half of the relative 95 % interval for that relative variance.
func Half(variance float64, degrees int) float64 { return Student(degrees) * math.Sqrt(variance) }

func total(clusters []Cluster) (n, sum float64) {
	for _, c := range clusters {
		n += c.N
		sum += c.Sum
	}
	return n, sum
}
