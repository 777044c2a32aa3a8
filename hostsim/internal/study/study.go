// Package study asks questions of many replays, each in a file of its name: which policy is best on published traces, what stale knowledge
// costs, how load is to be weighed against the cache, which workloads gain, what several gateways lose against one, what a live experiment
// shows, and whether published benchmarks come out as published. Its answers are computed from the runs; nothing that it says is written
// beforehand. The questions know nothing of each other.
package study
