package study

import (
	"context"
	"fmt"
	"path/filepath"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/verdict"
	"warmroute/hostsim/internal/vllm"
)

// panel is a trace at one capacity.
type panel struct {
	Name     string
	File     string
	KVTokens int
	Speeds   []float64
	Limit    int // sessions
	Longest  int // tokens of a request that is not rejected; 0: what fits
	Hit      float64
	Balance  float64 // what is asked of the default, a figure without time; 0: nothing
}

// panels are the published traces, each at two capacities and three loads; of the coding sessions the first 60, which
// keep eight H100 busy.
var panels = []panel{
	{"conversation", loads.ConversationFile, 3000 * 512, []float64{1, 1.5, 2}, 0, 0, 0.305, 1.03},
	{"conversation", loads.ConversationFile, 800 * 512, []float64{1, 1.5, 2}, 0, 0, 0.146, 1.03},
	{"synthetic", loads.SyntheticFile, 3000 * 512, []float64{1, 1.5, 2}, 0, 0, 0.613, 1.03},
	{"synthetic", loads.SyntheticFile, 800 * 512, []float64{1, 1.5, 2}, 0, 0, 0, 0},
	{"coding sessions", loads.CodingFile, 6250 * 64, []float64{0.5, 1, 1.5}, 60, 6250 * 64, 0.56, 1.05},
	{"coding sessions", loads.CodingFile, 12500 * 64, []float64{0.5, 1, 1.5}, 60, 6250 * 64, 0, 0},
}

// PolicyRow is one policy on one trace at one load.
type PolicyRow struct {
	Trace    string  `json:"trace"`
	KVTokens int     `json:"kv_tokens"`
	Speed    float64 `json:"speed"`
	*replay.Result
	Bounds verdict.Bounds `json:"bounds"`
	panel  panel
}

// ComparePolicies replays every panel that is wanted, by its name or by name and tokens ("" is all), with the policies, from traces in
// a folder, on eight replicas of a profile. Only session_affinity is told of sessions. An error comes with the rows of the panels that are
// whole.
func ComparePolicies(ctx context.Context, folder, profile, wanted string, policies []string, progress func(what string)) ([]PolicyRow, error) {
	var rows []PolicyRow
	for _, at := range panels {
		if !at.is(wanted) {
			continue
		}
		t, err := trace.Open(filepath.Join(folder, at.File), trace.Options{Limit: at.Limit, Model: vllm.DefaultModel, Seed: 1})
		if err != nil {
			return nil, err
		}
		p, err := vllm.LoadProfile(profile)
		if err != nil {
			return nil, err
		}
		if p, err = replay.Fit(p, t, at.KVTokens); err != nil {
			return nil, err
		}
		if at.Longest > 0 {
			p.MaxModelLen = min(p.MaxModelLen, at.Longest)
		}
		const replicas = 8
		bounds, err := verdict.NewBounds(&replay.Options{Trace: t, Replicas: replicas, Profile: p})
		if err != nil {
			return nil, err
		}
		whole := len(rows)
		for _, speed := range at.Speeds {
			for _, policy := range policies {
				progress(fmt.Sprintf("%s, %d KV tokens, × %g, %s", at.Name, at.KVTokens, speed, policy))
				r, err := replay.Run(ctx, replay.Options{
					Trace: t, Policy: policy, Replicas: replicas, Workers: 2, Gateways: 1, Profile: p, Speed: speed, Seed: 1,
					Engine: contender.Native, NameSessions: policy == "session_affinity", Scrape: contender.ScrapeEvery,
				})
				if err != nil {
					return rows[:whole], fmt.Errorf("%s, %s: %w", at.Name, policy, err)
				}
				rows = append(rows, PolicyRow{at.Name, at.KVTokens, speed, r, bounds, at})
			}
		}
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no trace is called %q", wanted)
	}
	return rows, nil
}

// PolicyRows is how many rows ComparePolicies makes of the panels that are wanted with so many policies.
func PolicyRows(policies int, wanted string) (n int) {
	for _, at := range panels {
		if at.is(wanted) {
			n += policies * len(at.Speeds)
		}
	}
	return n
}

// is says whether the panel is wanted.
func (p *panel) is(wanted string) bool {
	return wanted == "" || p.Name == wanted || fmt.Sprintf("%s %d", p.Name, p.KVTokens) == wanted
}

// PoliciesPage shows the rows, a table for each panel, with what they say of the default.
func PoliciesPage(rows []PolicyRow, what string) (*report.Page, error) {
	page := &report.Page{Title: "Policies on published traces", Foot: what}
	within, total := 0, 0
	for from := 0; from < len(rows); {
		until := from
		for until < len(rows) && rows[until].panel.Name == rows[from].panel.Name && rows[until].KVTokens == rows[from].KVTokens {
			until++
		}
		section, finding, good, all := onePanel(rows[from:until])
		within, total = within+good, total+all
		page.Sections = append(page.Sections, section)
		if finding != "" {
			page.Findings = append(page.Findings, finding)
		}
		from = until
	}
	if total == 0 { // the default was not asked for
		return page, nil
	}
	page.Lead = fmt.Sprintf("%s has the least mean time to the first token, or is within 2 %% of it, in %d of %d cases.", contender.Default, within, total)
	return page, nil
}

// onePanel is a panel's table, what it says, and in how many of its loads the default is within 2 % of the best.
func onePanel(rows []PolicyRow) (s report.Section, finding string, good, all int) {
	at := rows[0].panel
	b := rows[0].Bounds
	s.Title = fmt.Sprintf("%s, %d KV tokens a replica", at.Name, at.KVTokens)
	s.Note = fmt.Sprintf("%d requests (%d too long: rejected). A cache that never forgets finds %s of the tokens, Belady's rule on all memory %s, one LRU cache of it %s.",
		rows[0].Requests, rows[0].Rejected, figure.Percent(b.Infinite), figure.Percent(b.Pooled), figure.Percent(b.Recent))
	s.Columns = []string{"policy"}
	place := map[string]int{}
	best, ours := map[float64]*replay.Result{}, map[float64]*replay.Result{}
	for _, r := range rows {
		if _, ok := place[r.Policy]; !ok {
			place[r.Policy] = len(s.Rows)
			s.Rows = append(s.Rows, []string{r.Policy})
		}
		row := &s.Rows[place[r.Policy]]
		*row = append(*row, figure.Percent(r.TokenHitRatio), figure.Decimal(r.Imbalance, 3), figure.Millis(r.TTFT.Mean))
		if best[r.Speed] == nil || r.TTFT.Mean < best[r.Speed].TTFT.Mean {
			best[r.Speed] = r.Result
		}
		if r.Policy == contender.Default {
			ours[r.Speed] = r.Result
		}
	}
	for _, speed := range at.Speeds {
		s.Columns = append(s.Columns, fmt.Sprintf("× %g: hit", speed), "imbalance", "TTFT")
		if ours[speed] == nil {
			continue
		}
		all++
		if ours[speed].TTFT.Mean <= 1.02*best[speed].TTFT.Mean {
			good++
		}
	}
	first := ours[at.Speeds[0]]
	if first == nil {
		return s, "", good, all
	}
	finding = fmt.Sprintf("%s, %d KV tokens: %s finds %s at an imbalance of %s, that is %s of what one LRU cache of all the memory would find.",
		at.Name, at.KVTokens, contender.Default, figure.Percent(first.TokenHitRatio), figure.Decimal(first.Imbalance, 3), figure.Percent(first.TokenHitRatio/b.Recent))
	if at.Hit > 0 {
		finding += fmt.Sprintf(" Target, computed without queues: %s at an imbalance of at most %s.", figure.Percent(at.Hit), figure.Decimal(at.Balance, 2))
	}
	if good < all {
		for _, speed := range at.Speeds {
			if o, w := ours[speed], best[speed]; o != nil && o.TTFT.Mean > 1.02*w.TTFT.Mean {
				finding += fmt.Sprintf(" At × %g %s has %s, %s of the %s.", speed, w.Policy, figure.Millis(w.TTFT.Mean), figure.Signed(w.TTFT.Mean/o.TTFT.Mean-1), figure.Millis(o.TTFT.Mean))
			}
		}
	}
	return s, finding, good, all
}
