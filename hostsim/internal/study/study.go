// Package study asks questions of replays: which policy is best on a trace and whether it helps at all, what stale
// knowledge costs, how load is to be weighed against the cache, and which workloads gain. Its answers are computed from
// the runs; nothing that it says is written beforehand.
package study
