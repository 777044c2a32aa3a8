package vllm

// PickRank is the rank that a server of n chooses by itself: with the fewest requests, where those that wait count up to four times in a full
// cache; of equal ones the first from start on.
func PickRank(n, start int, of func(rank int) Stats) int {
	best, least := 0, 0.0
	for k := range n {
		i := (start + k) % n
		s := of(i)
		score := float64(s.Running+s.Waiting) + float64(s.Waiting)*6*max(s.Usage()-0.5, 0)
		if k == 0 || score < least {
			best, least = i, score
		}
	}
	return best
}
