package main

import (
	"os"
	"runtime/debug"
)

// studyCmd is the questions that are asked of many replays.
type studyCmd struct {
	Experiment studyExperimentCmd `cmd:"" help:"How often a live experiment's interval holds what whole replays differ by, by session and by time."`
	Gateways   studyGatewaysCmd   `cmd:"" help:"Several gateways that share news, held against one, on every case."`
	KubeAI     studyKubeAICmd     `cmd:"" name:"kubeai" help:"KubeAI's published benchmarks, on simulated replicas."`
	League     studyLeagueCmd     `cmd:"" help:"Every policy, ours and the peers', on every case."`
	Policies   studyPoliciesCmd   `cmd:"" help:"All policies on the published traces, at two capacities and three loads."`
	Staleness  studyStalenessCmd  `cmd:"" help:"What it costs to refresh the knowledge of caches and the metrics less often."`
	Tradeoff   studyTradeoffCmd   `cmd:"" help:"Affinity against queueing: which cache_aware.affinity is best at which load."`
	Workload   studyWorkloadCmd   `cmd:"" help:"Which workloads gain from prefix routing, and which do not."`
}

// AfterApply makes all studies collect garbage a quarter as often, unless the environment says how often: a replay holds some 30 MB
// and makes prompts of 400 KB, and took a third of its time for collecting them.
func (*studyCmd) AfterApply() error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	return nil
}
