// Package studies is the command hostsim study: a command of its own for each question, which reads its flags, asks package study (the
// league: package league), and writes the page and the results. cases.go has what those that play the league's cases share.
package studies

import (
	"os"
	"runtime/debug"
)

// Command is the questions that are asked of many replays, as flags and commands of kong.
type Command struct {
	Experiment experimentCmd `cmd:"" help:"How often a live experiment's interval holds what whole replays differ by, by session and by time."`
	Gateways   gatewaysCmd   `cmd:"" help:"Several gateways that share news, held against one, on every case."`
	KubeAI     kubeAICmd     `cmd:"" name:"kubeai" help:"KubeAI's published benchmarks, on simulated replicas."`
	League     leagueCmd     `cmd:"" help:"Every policy, ours and the peers', on every case."`
	Policies   policiesCmd   `cmd:"" help:"All policies on the published traces, at two capacities and three loads."`
	Staleness  stalenessCmd  `cmd:"" help:"What it costs to refresh the knowledge of caches and the metrics less often."`
	Tradeoff   tradeoffCmd   `cmd:"" help:"Affinity against queueing: which cache_aware.affinity is best at which load."`
	Workload   workloadCmd   `cmd:"" help:"Which workloads gain from prefix routing, and which do not."`
}

// AfterApply makes all studies collect garbage a quarter as often, unless the environment says how often: a replay holds some 30 MB
// and makes prompts of 400 KB, and took a third of its time for collecting them.
func (*Command) AfterApply() error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	return nil
}
