package peers

import (
	"bytes"
	"math/rand/v2"
	"slices"

	"warmroute/plugin/prompt"
)

const aboutSMetric = "vLLM's router, policy smetric: a later turn goes where its tree matches most, if that is more than .1 of what the turn before sent, and if its first token is expected there within .2 s + .1 ms a character, or at no replica; others go to the least product of the work that is queued, the prompt's own included, and the requests in flight. " +
	"Work is n + n × (l − n ÷ 2) ÷ 120,000 for n characters to compute of l, queued until the first token; a replica's rate is the ninth decile of work ÷ time to the first token of its last 64 answers, from the eighth on. Read: the policy's comments and its example of a configuration (SLACK 1, HIT_RATIO .1, TTFT_SLO_BASE .2, TTFT_SLO_PER_CHAR .0001, MAX_TREE_SIZE 2^26, PREFILL_RATE left out). " +
	"The example's cost of attention is said to be illustrative; here it is that of an 8B model, of which a token 30,000 deep costs twice the first. Ours counts in runs of 16 characters where their tree counts single ones."

// smetric keeps conversations where they are while that is soon enough.
type smetric struct {
	*known
	now    int64
	turn   int // replicas take turns at being the first among equals
	queued []float64
	rates  []rates
}

const (
	smetricRun       = 16
	smetricTree      = 1 << 26
	smetricAttention = 1.0 / 120_000
	smetricHit       = 0.1
	smetricBase      = 0.2    // s
	smetricPerChar   = 0.0001 // s
	smetricSamples   = 64
	smetricEnough    = 8
	smetricDecile    = 0.9
)

// rates are the last samples of a replica's work a second.
type rates struct {
	samples []float64
	rate    float64 // 0: not known
}

func (s *rates) add(rate float64) {
	if len(s.samples) == smetricSamples {
		s.samples = s.samples[1:]
	}
	if s.samples = append(s.samples, rate); len(s.samples) >= smetricEnough {
		sorted := slices.Sorted(slices.Values(s.samples))
		s.rate = sorted[int(float64(len(sorted)-1)*smetricDecile+0.5)]
	}
}

func newSMetric(*rand.Rand) policy {
	return &smetric{known: &known{size: smetricRun, capacity: smetricTree / smetricRun}}
}

func (s *smetric) join(address string) {
	s.known.join(address)
	s.queued, s.rates = append(s.queued, 0), append(s.rates, rates{})
}

func (s *smetric) leave(replica int) {
	s.known.leave(replica)
	s.queued, s.rates = slices.Delete(s.queued, replica, replica+1), slices.Delete(s.rates, replica, replica+1)
}

func (s *smetric) advance(now int64) { s.now = now }

func (s *smetric) pick(r *request) (int, string) {
	text := r.prompt.Text
	s.known.read(r.prompt, 0)
	n, costs, matched := len(s.queued), make([]float64, len(s.queued)), make([]int, len(s.queued))
	least, holder, soon, any, score := -1, -1, false, false, 0.0
	for k := range n {
		i := (s.turn + k) % n
		matched[i] = s.known.matched(i) * smetricRun
		costs[i] = smetricWork(len(text)-matched[i], len(text))
		queued := s.queued[i] + costs[i]
		meets := s.rates[i].rate == 0 || queued/s.rates[i].rate <= smetricBase+smetricPerChar*float64(len(text))
		any = any || meets
		if product := queued * float64(r.inFlight[i]); least < 0 || product < score {
			least, score = i, product
		}
		if holder < 0 || matched[i] > matched[holder] {
			holder, soon = i, meets
		}
	}
	s.turn++
	to, reason := least, "by_load"
	if before, later := smetricHistory(text); later && float64(matched[holder]) > smetricHit*float64(before) && (soon || !any) {
		to, reason = holder, "match"
	}
	r.sent, r.work = s.now, costs[to]
	s.queued[to] += r.work
	s.known.send(to)
	return to, reason
}

// smetricWork is what computing n characters of l takes.
func smetricWork(n, l int) float64 {
	computed := float64(n)
	return computed + smetricAttention*computed*(float64(l)-computed/2)
}

// smetricHistory is the characters of a prompt that the turn before sent: those before the last answer. False: it has none.
func smetricHistory(text []byte) (before int, later bool) {
	for at := 0; ; at++ {
		next := bytes.IndexByte(text[at:], prompt.FrameTurn)
		if next < 0 {
			return before, later
		}
		if at += next; at+1 < len(text) && text[at+1] == 'a' { // of the assistant
			before, later = at, true
		}
	}
}

func (s *smetric) first(replica int, r *request) {
	if seconds := float64(s.now-r.sent) / 1e9; seconds > 0 && r.work > 0 {
		s.rates[replica].add(r.work / seconds)
	}
	s.end(replica, r)
}

func (s *smetric) end(replica int, r *request) {
	s.queued[replica] -= r.work
	r.work = 0
}
