package study

import (
	"context"
	"fmt"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// KubeAI's published numbers, for each of its scenarios. Sources: docs/benchmarks/prefix-aware-load-balancing.md and
// benchmarks/chat/scenarios of github.com/kubeai-project/kubeai.
type published struct{ leastLoad, prefixHash float64 }

// scenario is one of KubeAI's benchmarks.
type scenario struct {
	name     string
	load     func(seed uint64) *trace.Trace
	clients  int
	replicas int
	profile  func() (vllm.Profile, error)

	throughput published // requests a second
	ttft       published // ms
	perToken   published // ms: answer time ÷ tokens of the answer
}

var scenarios = []scenario{
	{
		name: "8 × L4, 800 at a time, fp8 KV", clients: 800, replicas: 8, profile: loads.L4(0.95, 65_536),
		load:       func(seed uint64) *trace.Trace { return loads.RepeatedPrompts(seed, 800) },
		throughput: published{50.51, 76.43}, ttft: published{817.18, 280.20},
	},
	{
		name: "8 × L4, 800 at a time, bf16 KV", clients: 800, replicas: 8, profile: loads.L4(0.95, 131_072),
		load:       func(seed uint64) *trace.Trace { return loads.RepeatedPrompts(seed, 800) },
		throughput: published{50.51, 76.43}, ttft: published{817.18, 280.20},
	},
	{
		name: "8 × L4, 1,600 at a time, fp8 KV", clients: 1600, replicas: 8, profile: loads.L4(0.95, 65_536),
		load:       func(seed uint64) *trace.Trace { return loads.RepeatedPrompts(seed, 200) },
		throughput: published{52.28, 72.73}, ttft: published{10579.01, 196.13},
	},
	{
		name: "8 × L4, 1,600 at a time, bf16 KV", clients: 1600, replicas: 8, profile: loads.L4(0.95, 131_072),
		load:       func(seed uint64) *trace.Trace { return loads.RepeatedPrompts(seed, 200) },
		throughput: published{52.28, 72.73}, ttft: published{10579.01, 196.13},
	},
	{
		name: "2 × L4 at 60 % of the memory, 80 threads", clients: 80, replicas: 2, profile: loads.L4(0.60, 131_072), load: loads.ChatThreads,
		throughput: published{12.42, 19.23}, perToken: published{712.11, 469.34},
	},
	{
		name: "8 × 70B on one H100 each, 320 threads", clients: 320, replicas: 8, profile: loads.H100For70B, load: loads.ChatThreads,
		throughput: published{76.27, 85.02}, perToken: published{405.39, 361.07},
	},
	{
		name: "8 × 70B on two H100 each, 320 threads (not published)", clients: 320, replicas: 8, load: loads.ChatThreads,
		profile: func() (vllm.Profile, error) { return vllm.LoadProfile("h100x2-70b") },
	},
}

// kubeAIPolicies are compared in KubeAI's benchmarks: theirs, and ours.
var kubeAIPolicies = []string{"peer:kubeai_least_load", "peer:kubeai", "prefix_hash", "expected_ttft", contender.Default}

// KubeAIRow is one policy in one scenario, the mean over the seeds.
type KubeAIRow struct {
	Scenario   string  `json:"scenario"`
	Policy     string  `json:"policy"`
	Throughput float64 `json:"throughput_rps"`
	TTFT       float64 `json:"ttft_mean_ms"`
	TPOT       float64 `json:"tpot_mean_ms"`
	PerToken   float64 `json:"time_per_token_ms"` // time of an answer ÷ its tokens
	Hit        float64 `json:"token_hit_ratio"`

	PublishedThroughput float64 `json:"published_throughput_rps,omitempty"`
	PublishedTTFT       float64 `json:"published_ttft_mean_ms,omitempty"`
	PublishedPerToken   float64 `json:"published_time_per_token_ms,omitempty"`
}

// KubeAI runs KubeAI's benchmarks with as many seeds.
func KubeAI(ctx context.Context, seeds int, progress func(done, total int, what string)) ([]KubeAIRow, error) {
	return kubeAI(ctx, scenarios, kubeAIPolicies, seeds, progress)
}

// KubeAIRows is how many rows KubeAI makes.
func KubeAIRows() int { return len(scenarios) * len(kubeAIPolicies) }

func kubeAI(ctx context.Context, scenarios []scenario, policies []string, seeds int, progress func(done, total int, what string)) ([]KubeAIRow, error) {
	var rows []KubeAIRow
	for _, s := range scenarios {
		whole := len(rows)
		p, err := s.profile()
		if err != nil {
			return nil, err
		}
		for _, policy := range policies {
			progress(len(rows), len(scenarios)*len(policies), s.name+", "+policy)
			row := KubeAIRow{Scenario: s.name, Policy: policy}
			switch policy {
			case "peer:kubeai_least_load":
				row.PublishedThroughput, row.PublishedTTFT, row.PublishedPerToken = s.throughput.leastLoad, s.ttft.leastLoad, s.perToken.leastLoad
			case "peer:kubeai":
				row.PublishedThroughput, row.PublishedTTFT, row.PublishedPerToken = s.throughput.prefixHash, s.ttft.prefixHash, s.perToken.prefixHash
			}
			for seed := range seeds {
				r, err := replay.Run(ctx, replay.Options{
					Trace: loads.Twice(s.load(uint64(seed + 1))), Policy: policy, Replicas: s.replicas, Workers: 2, Gateways: 1, Profile: p,
					Speed: 1, Closed: true, Concurrency: s.clients, Seed: uint64(seed + 1), Engine: contender.Native, Detail: true, Scrape: contender.ScrapeEvery,
				})
				if err != nil {
					return rows[:whole], fmt.Errorf("%s, %s: %w", s.name, policy, err)
				}
				row.add(r, 1/float64(seeds))
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func (row *KubeAIRow) add(r *replay.Result, weight float64) {
	h := loads.SecondPass(r)
	row.Throughput += weight * h.Throughput
	row.TTFT += weight * h.TTFT.Mean
	row.TPOT += weight * h.TPOT.Mean
	row.PerToken += weight * h.PerToken
	row.Hit += weight * h.Hit
}

// kubeAITables shows the rows, each beside what was published, and against least load.
func kubeAITables(rows []KubeAIRow) []report.Table {
	var tables []report.Table
	var base KubeAIRow
	for i, row := range rows {
		if i == 0 || row.Scenario != rows[i-1].Scenario {
			base = row
			tables = append(tables, report.Table{Title: row.Scenario, Columns: []string{
				"policy", "req/s", "× least load", "TTFT mean ms", "÷", "ms a token", "÷", "hit rate", "published req/s", "×", "TTFT ms", "÷", "ms a token", "÷"}})
		}
		t := &tables[len(tables)-1]
		cells := []string{row.Policy, figure.Decimal(row.Throughput, 2), ratio(row.Throughput, base.Throughput), figure.Decimal(row.TTFT, 0), ratio(base.TTFT, row.TTFT),
			figure.Decimal(row.PerToken, 0), ratio(base.PerToken, row.PerToken), figure.Decimal(100*row.Hit, 1) + "%"}
		for _, p := range []struct {
			value, base float64
			up          bool
		}{
			{row.PublishedThroughput, base.PublishedThroughput, true}, {row.PublishedTTFT, base.PublishedTTFT, false}, {row.PublishedPerToken, base.PublishedPerToken, false},
		} {
			switch {
			case p.value == 0:
				cells = append(cells, "", "")
			case p.up:
				cells = append(cells, figure.Decimal(p.value, 2), ratio(p.value, p.base))
			default:
				cells = append(cells, figure.Decimal(p.value, 0), ratio(p.base, p.value))
			}
		}
		t.Rows = append(t.Rows, cells)
	}
	return tables
}

func ratio(a, b float64) string { return figure.Decimal(a/b, 2) }

// KubeAIPage is the rows as a page, with what they say.
func KubeAIPage(rows []KubeAIRow) *report.Page {
	page := &report.Page{
		Title: "KubeAI's benchmarks, replayed",
		Foot: "hostsim study kubeai, native engine. Profiles are derived from data sheets and not calibrated; the texts of ShareGPT are drawn by length; " +
			"the gateway and its network take no time; published are the means of one run each.",
	}
	tables := kubeAITables(rows)
	at := 0
	for _, t := range tables {
		page.Sections = append(page.Sections, report.Section{Table: t})
		group := rows[at : at+len(t.Rows)]
		at += len(t.Rows)
		base, hash, ours := group[0], group[1], group[len(group)-1]
		text := fmt.Sprintf("%s: KubeAI's prefix hash answers %s times as many requests a second as least load", t.Title, ratio(hash.Throughput, base.Throughput))
		if base.PublishedThroughput > 0 {
			text += fmt.Sprintf(" (published: %s)", ratio(hash.PublishedThroughput, base.PublishedThroughput))
		}
		text += fmt.Sprintf(", the first token comes %s times as soon", ratio(base.TTFT, hash.TTFT))
		if base.PublishedTTFT > 0 {
			text += fmt.Sprintf(" (%s)", ratio(base.PublishedTTFT, hash.PublishedTTFT))
		}
		text += fmt.Sprintf(", a token takes %s less", figure.Percent(1-hash.PerToken/base.PerToken))
		if base.PublishedPerToken > 0 {
			text += fmt.Sprintf(" (%s)", figure.Percent(1-hash.PublishedPerToken/base.PublishedPerToken))
		}
		text += fmt.Sprintf(". %s: %s, %s and %s.", ours.Policy, ratio(ours.Throughput, base.Throughput), ratio(base.TTFT, ours.TTFT), figure.Percent(1-ours.PerToken/base.PerToken))
		page.Findings = append(page.Findings, text)
	}
	return page
}
