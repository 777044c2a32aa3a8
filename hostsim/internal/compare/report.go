package compare

import (
	"fmt"
	"strconv"

	"warmroute/hostsim/internal/report"
)

// Page returns the result as tables and plots.
func (r *Result) Page() (*report.Page, error) {
	m := r.Made
	page := &report.Page{
		Title: "warmroute: policies on running servers",
		Lead:  r.lead(),
		Foot: fmt.Sprintf("hostsim compare %s, %d rounds from seed %d, %d at a time, caches kept apart by %s; vLLM %s, %d servers with blocks of %d tokens; %s.",
			m.Commit, m.Rounds, m.Seed, m.Concurrency, m.Isolation, m.Server, m.Replicas, m.BlockSize, m.Machine),
	}
	for _, load := range m.Workloads {
		sections, err := r.sections(load)
		if err != nil {
			return nil, err
		}
		page.Sections = append(page.Sections, sections...)
	}
	return page, nil
}

// lead names the target with the least mean TTFT of each workload.
func (r *Result) lead() string {
	text := ""
	for _, load := range r.Made.Workloads {
		var best *Summary
		for _, s := range r.summaries(load) {
			if s.Errors < s.Requests && (best == nil || s.TTFT.Mean < best.TTFT.Mean) {
				best = s
			}
		}
		switch {
		case best == nil:
			text += fmt.Sprintf("%s: all requests failed. ", load)
		case best.Speedup.Median > 0:
			text += fmt.Sprintf("%s: %s has the least mean TTFT, %.2f× as fast as %s. ", load, best.Target, best.Speedup.Median, r.Baseline)
		default: // the baseline's have failed
			text += fmt.Sprintf("%s: %s has the least mean TTFT. ", load, best.Target)
		}
	}
	return text
}

// sections are the tables and plots of one workload.
func (r *Result) sections(load string) ([]report.Section, error) {
	var times []report.Series
	var queues []report.Line
	for _, s := range r.summaries(load) {
		if len(s.ttfts) > 0 {
			times = append(times, report.Series{Name: s.Target, Values: s.ttfts})
		}
		if l := (report.Line{Name: s.Target, Y: r.queue(load, s.Target)}); len(l.Y) > 0 {
			for second := range l.Y {
				l.X = append(l.X, float64(second))
			}
			queues = append(queues, l)
		}
	}
	first, err := report.Distribution("time to first token, ms", times)
	if err != nil {
		return nil, err
	}
	second, err := report.Lines(report.LineChart{X: "seconds since the run began", Y: "requests at the busiest server", Lines: queues})
	if err != nil {
		return nil, err
	}
	sections := []report.Section{{Table: r.ttftTable(load), Plot: first}, {Table: r.serverTable(load), Plot: second}}
	for _, table := range []report.Table{r.beliefTable(load), r.effectsTable(load)} {
		if len(table.Rows) > 0 {
			sections = append(sections, report.Section{Table: table})
		}
	}
	return sections, nil
}

// summaries are those of one workload, in the order of the targets.
func (r *Result) summaries(load string) []*Summary {
	var of []*Summary
	for i := range r.Summaries {
		if s := &r.Summaries[i]; s.Workload == load {
			of = append(of, s)
		}
	}
	return of
}

// ttftTable is what clients waited.
func (r *Result) ttftTable(load string) report.Table {
	t := report.Table{
		Title: load + ": time to first token",
		Note: fmt.Sprintf("At the client, over the requests of all rounds; the range is of the rounds' means. Faster is the mean of %s ÷ this one's, "+
			"by round: median and range. Against it: the change of the mean, paired by round, with its 95 %% interval.", r.Baseline),
		Columns: []string{"target", "mean ms", "range", "P50", "P95", "P99", "faster", "range", "against it", "errors"},
	}
	for _, s := range r.summaries(load) {
		rounds := spread(s.TTFTMeans)
		against := ""
		if s.Against != nil {
			against = s.Against.String()
		}
		t.Rows = append(t.Rows, []string{s.Target, number1(s.TTFT.Mean), number1(rounds.Least) + "–" + number1(rounds.Most),
			number1(s.TTFT.P50), number1(s.TTFT.P95), number1(s.TTFT.P99), fmt.Sprintf("%.2f×", s.Speedup.Median),
			fmt.Sprintf("%.2f–%.2f", s.Speedup.Least, s.Speedup.Most), against, strconv.Itoa(s.Errors)})
	}
	return t
}

// serverTable is what the servers counted themselves.
func (r *Result) serverTable(load string) report.Table {
	t := report.Table{
		Title: load + ": as the servers counted",
		Note: "From vLLM's own /metrics, over the runs alone: prefix cache hits ÷ queries in tokens (of a prompt that waits for memory each time that it is looked up), KV tokens computed in prefills (a round), the most of a server ÷ the mean, " +
			"TTFT within the servers, and of it the means in the scheduler's queue and in prefill: the rest is the front end's. Waiting and busiest are means over time: requests that wait, and requests at the server that has most.",
		Columns: []string{"target", "hit rate", "prefill tokens", "imbalance", "TTFT mean ms", "P50", "P95", "P99", "in queue", "in prefill", "waiting", "busiest"},
	}
	for _, s := range r.summaries(load) {
		v := &s.Servers
		t.Rows = append(t.Rows, []string{s.Target, number1(100*v.HitRate) + "%", fmt.Sprintf("%.0f", v.Computed/float64(len(s.TTFTMeans))),
			fmt.Sprintf("%.2f", v.Imbalance), number1(v.TTFT.Mean), number1(v.TTFT.P50), number1(v.TTFT.P95), number1(v.TTFT.P99),
			number1(v.Queue), number1(v.Prefill), fmt.Sprintf("%.2f", s.Waiting), fmt.Sprintf("%.2f", s.Busiest)})
	}
	return t
}

// beliefTable holds what the router took for cached against what was; without rows where no target says what it believes.
func (r *Result) beliefTable(load string) report.Table {
	t := report.Table{
		Title:   load + ": belief and truth",
		Note:    "The tokens that the router believed to be cached where it sent a request, against what the server then found.",
		Columns: []string{"target", "believed", "true", "bias", "bias %", "mean absolute error", "requests"},
	}
	for _, s := range r.summaries(load) {
		if a := s.Agreement; a != nil {
			t.Rows = append(t.Rows, []string{s.Target, number1(a.Believed), number1(a.True), number1(a.Bias),
				fmt.Sprintf("%+.1f%%", 100*a.Relative), number1(a.MAE), strconv.Itoa(a.Requests)})
		}
	}
	return t
}

// queue is the number of requests at the busiest server in each second: the mean of the rounds that lasted that long.
func (r *Result) queue(load, target string) []float64 {
	var sums, counts []float64
	for _, run := range r.of(load, target) {
		for _, q := range run.Queue {
			second := int(q.At)
			for len(sums) <= second {
				sums, counts = append(sums, 0), append(counts, 0)
			}
			sums[second] += q.Busiest
			counts[second]++
		}
	}
	var out []float64
	for i := range sums {
		if counts[i] > 0 {
			sums[i] /= counts[i]
		} else if i > 0 {
			sums[i] = sums[i-1] // no reading in that second
		}
		out = append(out, sums[i])
	}
	return out
}

func number1(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }
