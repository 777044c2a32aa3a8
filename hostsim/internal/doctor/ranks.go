package doctor

import (
	"fmt"
	"maps"
	"regexp"
	"slices"

	"warmroute/hostsim/internal/checks"
	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/promtext"
	"warmroute/plugin/config"
)

// Where data_parallel_ranks is above 1, each rank of a server is an endpoint (config.RankAddress). They have one address in Envoy, one page of
// metrics and one list of models.

// rankLabels are the labels by which a page of metrics tells a server's ranks apart, by metrics of which each rank has one. The gauges of vLLM's
// pages leave out ranks that have had no request yet, where several API servers write one page; its configuration does not.
var rankLabels = map[string]string{"vllm:num_requests_running": "engine", "vllm:cache_config_info": "engine", "sglang:num_running_reqs": "dp_rank"}

// ranksOf is how many ranks a server's page of metrics names, 0 if it does not say, and whether it is one that names all.
func ranksOf(page promtext.Page) (ranks int, all bool) {
	for metric, label := range rankLabels {
		all = all || label == "engine" && len(page[metric]) > 0
		seen := map[string]bool{}
		for _, m := range page[metric] {
			seen[m.Labels[label]] = true
		}
		ranks = max(ranks, len(seen))
	}
	return ranks, all
}

// ignoresRanks fits the versions of vLLM whose pages name ranks, and that do not obey the header (github.com/vllm-project/vllm/pull/29002).
var ignoresRanks = regexp.MustCompile(`^0\.([0-9]|1[01])\.[0-9]`)

// compareRanks names replicas of a pool with more or fewer ranks than the module takes them to have.
func compareRanks(all []replica, f fleet) (out []finding.Finding) {
	by := map[int][]string{}
	var unnamed, old []string
	for _, r := range all {
		switch {
		case r.fault != "" || r.ranks == 0 || r.ranks == max(f.ranks, 1) || !slices.Contains(f.hosts, r.address):
		case !f.learn || !r.named:
			by[r.ranks] = append(by[r.ranks], r.address)
		case !f.named:
			unnamed = append(unnamed, r.address)
		case ignoresRanks.MatchString(r.version):
			old = append(old, r.address)
		}
	}
	if len(old) > 0 {
		out = append(out, finding.Weak.At("replicas", "data-parallel ranks at "+finding.Some(old)+" by the metrics, and this vLLM does not obey "+config.RankHeader+": it is believed of a rank what another one holds", "vLLM 0.12 or newer; or data_parallel_ranks: 1"))
	}
	if len(unnamed) > 0 {
		out = append(out, finding.Broken.At("replicas", "data-parallel ranks at "+finding.Some(unnamed)+" by the metrics, steer.via is property, and "+checks.RankUncarried, checks.RankMutation))
	}
	for _, n := range slices.Sorted(maps.Keys(by)) {
		set := "is not set"
		if f.ranks > 0 {
			set = fmt.Sprint("is ", f.ranks)
		}
		what := fmt.Sprintf("%s at %s by the metrics, and data_parallel_ranks %s: ", finding.Plural(float64(n), "data-parallel rank"), finding.Some(by[n]), set)
		switch {
		case n < f.ranks:
			out = append(out, finding.Broken.At("replicas", what+"requests to a rank that is not there are answered with an error", fmt.Sprintf("data_parallel_ranks: %d; or vllm serve … --data-parallel-size %d", n, f.ranks)))
		case f.ranks > 1:
			out = append(out, finding.Weak.At("replicas", what+"the others get none of the requests that are steered", fmt.Sprintf("data_parallel_ranks: %d", n)))
		default:
			out = append(out, finding.Weak.At("replicas", what+"each has a cache of its own, and the server chooses one by load, whatever they hold", fmt.Sprintf("data_parallel_ranks: %d; or vllm serve … --data-parallel-external-lb, with a port for each rank", n)))
		}
	}
	return out
}
