package doctor

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"warmroute/plugin/config"
)

// Where data_parallel_ranks is above 1, each rank of a server is an endpoint (config.RankAddress). They have one address in Envoy, one page of
// metrics and one list of models.

// rankState is the filter state that has the rank where the choice is a property.
const rankState = "wasm.warmroute_rank"

// servers are a pool's configured endpoints by the addresses that they listen on, each once.
func servers(p *config.Pool) (list []config.Endpoint) {
	for _, e := range p.Endpoints {
		if e.IsFirstRank() {
			e.Address = e.Server()
			list = append(list, e)
		}
	}
	return list
}

// ranked judges whether the rank that is chosen becomes the header by which the server knows it.
func (s *Setup) ranked(f *Filter, p *config.Pool) []Finding {
	if p.DataParallelRanks < 2 || p.Steer.Via != config.ViaProperty || !s.Envoy && len(s.Patches) == 0 && !strings.HasPrefix(f.Where, extensionPolicy) {
		return nil
	}
	switch gates := s.gates(); {
	case slices.ContainsFunc(gates, func(c config.Config) bool { return c.DataParallelRanks > 1 }):
		return nil
	case len(gates) > 0 && slices.ContainsFunc(s.Managers, func(m map[string]any) bool { return removes(m, config.RankHeader) }):
		return nil
	case len(gates) > 0:
		return []Finding{{Weak, f.Where, "clients name their own rank by " + config.RankHeader + " while the module before the gate does not run", fmt.Sprintf("{role: gate, data_parallel_ranks: %d}", p.DataParallelRanks)}}
	case s.carriesRank(p):
		return nil
	}
	return []Finding{{Broken, f.Where, fmt.Sprintf("data_parallel_ranks is %d and steer.via is property, and %s", p.DataParallelRanks, uncarried), rankMutation}}
}

const (
	uncarried    = "no filter makes the rank the header " + config.RankHeader + ": servers choose ranks themselves, by load"
	rankMutation = "- append: {header: {key: " + config.RankHeader + `, value: "%FILTER_STATE(` + rankState + `:PLAIN)%"}, append_action: OVERWRITE_IF_EXISTS_OR_ADD}   # in the header_mutation filter, as in examples/envoy/property.yaml`
)

// carriesRank says whether requests name the rank that is chosen to their server, as far as is known.
func (s *Setup) carriesRank(p *config.Pool) bool {
	return p.Steer.Via != config.ViaProperty || !s.Envoy && len(s.Patches) == 0 || len(s.gates()) > 0 || s.mentions(rankState)
}

// rankLabels are the labels by which a page of metrics tells a server's ranks apart, by metrics of which each rank has one. The gauges of vLLM's
// pages leave out ranks that have had no request yet, where several API servers write one page; its configuration does not.
var rankLabels = map[string]string{"vllm:num_requests_running": "engine", "vllm:cache_config_info": "engine", "sglang:num_running_reqs": "dp_rank"}

// ranksOf is how many ranks a server's page of metrics names, 0 if it does not say, and whether it is one that names all.
func ranksOf(page pageOf) (ranks int, all bool) {
	for metric, label := range rankLabels {
		all = all || label == "engine" && len(page[metric]) > 0
		seen := map[string]bool{}
		for _, m := range page[metric] {
			seen[m.labels[label]] = true
		}
		ranks = max(ranks, len(seen))
	}
	return ranks, all
}

// ignoresRanks fits the versions of vLLM whose pages name ranks, and that do not obey the header (github.com/vllm-project/vllm/pull/29002).
var ignoresRanks = regexp.MustCompile(`^0\.([0-9]|1[01])\.[0-9]`)

// compareRanks names replicas of a pool with more or fewer ranks than the module takes them to have.
func compareRanks(all []replica, f fleet) (out []Finding) {
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
		out = append(out, Finding{Weak, "replicas", "data-parallel ranks at " + some(old) + " by the metrics, and this vLLM does not obey " + config.RankHeader + ": it is believed of a rank what another one holds", "vLLM 0.12 or newer; or data_parallel_ranks: 1"})
	}
	if len(unnamed) > 0 {
		out = append(out, Finding{Broken, "replicas", "data-parallel ranks at " + some(unnamed) + " by the metrics, steer.via is property, and " + uncarried, rankMutation})
	}
	for _, n := range slices.Sorted(maps.Keys(by)) {
		set := "is not set"
		if f.ranks > 0 {
			set = fmt.Sprint("is ", f.ranks)
		}
		what := fmt.Sprintf("%s at %s by the metrics, and data_parallel_ranks %s: ", plural(float64(n), "data-parallel rank"), some(by[n]), set)
		switch {
		case n < f.ranks:
			out = append(out, Finding{Broken, "replicas", what + "requests to a rank that is not there are answered with an error", fmt.Sprintf("data_parallel_ranks: %d; or vllm serve … --data-parallel-size %d", n, f.ranks)})
		case f.ranks > 1:
			out = append(out, Finding{Weak, "replicas", what + "the others get none of the requests that are steered", fmt.Sprintf("data_parallel_ranks: %d", n)})
		default:
			out = append(out, Finding{Weak, "replicas", what + "each has a cache of its own, and the server chooses one by load, whatever they hold", fmt.Sprintf("data_parallel_ranks: %d; or vllm serve … --data-parallel-external-lb, with a port for each rank", n)})
		}
	}
	return out
}

// some names the first of the addresses.
func some(addresses []string) string {
	text := strings.Join(addresses[:min(len(addresses), shown)], ", ")
	if more := len(addresses) - shown; more > 0 {
		text += fmt.Sprintf(", %d more", more)
	}
	return text
}
