package demo

import (
	"fmt"
	"slices"

	"warmroute/hostsim/internal/bench"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/vllm"
	"warmroute/hostsim/internal/workload"
)

// phrases is the first proof of concept: six interleaved requests over two phrases, three workers, hash(prompt[:20])
// against a random choice. Each mode begins with empty caches, makes one pass to warm them and one that counts.
func (d *demo) phrases(page *report.Page) error {
	// A fixed seed makes the table repeatable; 1 gives about the hit rate that chance does on average, 79.1 %:
	// the mean of 1−(2/3)^k over the k = 3, 4, 5 earlier draws of the same phrase.
	random, hash := mode{"random", map[string]any{"policy": "random", "seed": 1}}, hashMode("hash", 20)
	cold, warm := map[string][]bench.Record{}, map[string][]bench.Record{}
	for round := range d.Rounds {
		order := []mode{random, hash}
		if round%2 == 1 {
			slices.Reverse(order)
		}
		w, err := workload.New("phrases", workload.Options{Seed: uint64(round + 1), Requests: 6, Model: vllm.DefaultModel, PromptTokens: 14000, OutputTokens: 1})
		if err != nil {
			return err
		}
		for _, m := range order {
			if err := d.emptyCaches(); err != nil {
				return err
			}
			for _, records := range []map[string][]bench.Record{cold, warm} {
				r, err := d.pass(m, w, 1)
				if err != nil {
					return err
				}
				records[m.name] = append(records[m.name], r.Records...)
			}
		}
	}
	ratio := stats.NewDist(latencies(warm["random"])).Mean / stats.NewDist(latencies(warm["hash"])).Mean
	page.Findings = append(page.Findings, fmt.Sprintf("On two repeated prompts and three replicas, hashing the prompt's beginning answers %.1f× faster than a random choice.", ratio))
	warmTable := phraseTable(fmt.Sprintf("Two phrases, three replicas, warm: hash is %.1f× faster than random", ratio), warm)
	warmTable.Note = "The ratio is 1 + (share of random's requests that miss) × (cold ÷ warm time − 1): it grows with the prompt's length, " +
		"shrinks with every pass that random has had to warm all replicas, and would be 1 if nothing missed."
	plot, err := report.Distribution("latency, ms", []report.Series{
		{Name: "random", Values: latencies(warm["random"])}, {Name: "hash", Values: latencies(warm["hash"])}})
	if err != nil {
		return err
	}
	if err := d.add(page, report.Section{Table: warmTable, Plot: plot}); err != nil {
		return err
	}
	coldTable := phraseTable("The same from empty caches (the pass before)", cold)
	return d.add(page, report.Section{Table: coldTable})
}

func phraseTable(title string, by map[string][]bench.Record) report.Table {
	t := report.Table{Title: title, Columns: []string{"mode", "mean ms", "P95 ms", "hit rate", "requests"}}
	for _, name := range []string{"random", "hash"} {
		records := by[name]
		latency := stats.NewDist(latencies(records))
		hits := 0
		for _, r := range records {
			if 2*r.CachedTokens >= r.PromptTokens {
				hits++
			}
		}
		t.Rows = append(t.Rows, []string{name, figure.Decimal(latency.Mean, 1), figure.Decimal(latency.P95, 1),
			figure.Decimal(100*float64(hits)/float64(len(records)), 1) + "%", fmt.Sprint(len(records))})
	}
	return t
}

// conversations compares policies on multi-turn chats that share system prompts.
func (d *demo) conversations(page *report.Page) error {
	modes := []mode{
		{"random", map[string]any{"policy": "random"}},
		{"round_robin", map[string]any{"policy": "round_robin"}},
		{"join_shortest_queue", map[string]any{"policy": "join_shortest_queue"}},
		hashMode("prefix_hash, 100 chars", 100),
		hashMode("prefix_hash, 17000 chars", 17000),
		{"cache_aware", map[string]any{"policy": "cache_aware"}},
	}
	w, err := workload.New("conversations", workload.Options{Seed: 1, Requests: d.Requests, Model: vllm.DefaultModel, PromptTokens: 4000, SystemPrompts: 10, OutputTokens: 24, Live: 12})
	if err != nil {
		return err
	}
	t := report.Table{
		Title: "Conversations over ten system prompts",
		Note: "prefix_hash goes by the first characters: 100 are the system prompt's, so a few replicas would get everything and the load bound moves the rest; " +
			"17,000 reach into the first turn, so each conversation has a key of its own. cache_aware, the default, knows what each replica has been sent. join_shortest_queue goes by load alone, as Envoy's LEAST_REQUEST does.",
		Columns: []string{"mode", "TTFT mean ms", "TTFT P95 ms", "mean ms", "P95 ms", "hit rate", "requests"},
	}
	var series []report.Series
	first := map[string]float64{} // mean times to the first token, in ms
	for _, m := range modes {
		if err := d.emptyCaches(); err != nil {
			return err
		}
		r, err := d.pass(m, w, 12)
		if err != nil {
			return err
		}
		t.Rows = append(t.Rows, []string{m.name, figure.Decimal(r.TTFT.Mean, 1), figure.Decimal(r.TTFT.P95, 1), figure.Decimal(r.Latency.Mean, 1),
			figure.Decimal(r.Latency.P95, 1), figure.Decimal(100*r.TokenHitRatio, 1) + "%", fmt.Sprint(r.Requests)})
		first[m.name] = r.TTFT.Mean
		var values []float64
		for _, record := range r.Records {
			values = append(values, record.TTFTMS)
		}
		series = append(series, report.Series{Name: m.name, Values: values})
	}
	page.Lead = fmt.Sprintf("In conversations the first token comes after %.1f ms on average with cache_aware, the default, and after %.1f ms with join_shortest_queue, which goes by load alone.",
		first["cache_aware"], first["join_shortest_queue"])
	plot, err := report.Distribution("time to first token, ms", series)
	if err != nil {
		return err
	}
	return d.add(page, report.Section{Table: t, Plot: plot})
}

func latencies(records []bench.Record) []float64 {
	values := make([]float64, len(records))
	for i, r := range records {
		values[i] = r.LatencyMS
	}
	return values
}
