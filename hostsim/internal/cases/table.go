package cases

import (
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/trace"
)

// Loads of our own that saturate a fleet.
var (
	// heavy sessions saturate eight h100-8b at about 1.8 a second: at 1.8 the first token takes 1.0 s, at 2.4 23 s.
	heavy    = loads.Made{Reuse: 0.3, Prefixes: 16, PrefixTokens: 24000, Turns: 3, TurnTokens: 4000, OutputTokens: 150, Think: 10, Load: 1}
	overload = []loads.Phase{{Seconds: 300, Rate: 0.7}, {Seconds: 600, Rate: 2.4}, {Seconds: 900, Rate: 0.7}}

	// longer sessions saturate two h100-8b at about 1.7 a second, by the memory that running and paused ones take; at 2.3 the first token
	// takes five seconds after three minutes, a hundred after 16.
	longer = loads.Made{Reuse: 0.8, Prefixes: 16, PrefixTokens: 8000, Turns: 4, TurnTokens: 1500, OutputTokens: 150, Think: 10, Load: 1}
	rush   = []loads.Phase{{Seconds: 120, Rate: 1.2}, {Seconds: 180, Rate: 3}, {Seconds: 600, Rate: 1.2}}
)

// All are the league, in the order of its table.
var All = []Case{
	{ID: "conversation", What: "Mooncake conversations, 1,536,000 KV tokens", Published: true, Load: loads.Recorded(loads.ConversationFile), KVTokens: 3000 * 512},
	{ID: "conversation-small", What: "the same × 1.5, 409,600", Published: true, Load: loads.Recorded(loads.ConversationFile), KVTokens: 800 * 512, Speed: 1.5},
	{ID: "synthetic", What: "Mooncake synthetic, 1,536,000", Published: true, Load: loads.Recorded(loads.SyntheticFile), KVTokens: 3000 * 512},
	{ID: "synthetic-small", What: "the same × 2, 409,600", Published: true, Load: loads.Recorded(loads.SyntheticFile), KVTokens: 800 * 512, Speed: 2},
	{ID: "coding-small", What: "coding sessions 1–60, 400,000", Published: true, Load: loads.CodingSessions(0, 60), KVTokens: 400_000, Varies: true},
	{ID: "coding", What: "coding sessions 1–60, 800,000", Published: true, Load: loads.CodingSessions(0, 60), KVTokens: 800_000, Varies: true},
	{ID: "coding-201", What: "coding sessions 201–260, 800,000", Published: true, Load: loads.CodingSessions(200, 60), KVTokens: 800_000, Varies: true},
	{ID: "conversation-2gw", What: "conversations, two gateways", Published: true, Load: loads.Recorded(loads.ConversationFile), KVTokens: 3000 * 512, Gateways: 2},
	{ID: "synthetic-4gw", What: "synthetic, four gateways", Published: true, Load: loads.Recorded(loads.SyntheticFile), KVTokens: 3000 * 512, Gateways: 4},
	{ID: "coding-named", What: "coding sessions 1–60 that are named, 400,000, two gateways", Published: true, Load: loads.CodingSessions(0, 60), KVTokens: 400_000, Gateways: 2, Named: true, Varies: true},

	{ID: "kubeai-8", What: "KubeAI 8 × L4, 800 at a time", Load: kubeLoad(func(seed uint64) *trace.Trace { return loads.RepeatedPrompts(seed, 800) }), Profile: loads.L4(0.95, 131_072), Closed: true, Clients: 800, Twice: true, Rate: true},
	{ID: "kubeai-70b", What: "KubeAI 8 × 70B on one H100 each, 320 threads", Load: kubeLoad(loads.ChatThreads), Profile: loads.H100For70B, Closed: true, Clients: 320, Twice: true, Rate: true},
	{ID: "kubeai-2", What: "KubeAI 2 × L4 at 60 % of the memory, 80 threads", Load: kubeLoad(loads.ChatThreads), Replicas: 2, Profile: loads.L4(0.60, 131_072), Closed: true, Clients: 80, Twice: true, Rate: true},

	{ID: "hot-short", What: "a prompt that 80 % begin with, 20/s, answers of 64 tokens", Load: loads.Hot(4000, 20, 0.8, 64)},
	{ID: "hot-short-1w", What: "the same, one worker", Load: loads.Hot(4000, 20, 0.8, 64), Workers: 1},
	{ID: "hot-long", What: "the same, 40/s, answers of 400 tokens", Load: loads.Hot(6000, 40, 0.8, 400)},
	{ID: "usual-1", What: "a load of our own, 1 replica", Load: loads.Of(loads.Usual), Replicas: 1},
	{ID: "usual-2", What: "2 replicas", Load: loads.Of(loads.Usual), Replicas: 2},
	{ID: "usual-4", What: "4 replicas", Load: loads.Of(loads.Usual), Replicas: 4},
	{ID: "usual-16", What: "16 replicas", Load: loads.Of(loads.Usual.Busier(0.7, 6000)), Replicas: 16},
	{ID: "usual-64", What: "64 replicas", Load: loads.Of(loads.Usual.Busier(0.7, 16000)), Replicas: 64},
	{ID: "busy", What: "8 replicas, six times the load", Load: loads.Of(loads.Usual.Busier(4, 6000))},
	{ID: "mixed", What: "8 replicas, one at half speed", Load: loads.Of(loads.Usual), Slower: []float64{2}},
	{ID: "pictures", What: "chats about pictures, 150,000", Load: loads.Pictures(1000, 4), KVTokens: 150_000},
	{ID: "strangers", What: "prompts that nothing shares", Load: loads.Of(loads.Strangers)},
	{ID: "agents", What: "agents of 25 turns, 400,000", Load: loads.Of(loads.Agents), KVTokens: 400_000, Varies: true},
	{ID: "agents-4", What: "agents, 4 workers", Load: loads.Of(loads.Agents), KVTokens: 400_000, Workers: 4, Varies: true},
	{ID: "agents-4gw", What: "agents, 4 gateways", Load: loads.Of(loads.Agents), KVTokens: 400_000, Gateways: 4, Varies: true},
	{ID: "named-2gw", What: "8 replicas, two gateways, sessions are named", Load: loads.Of(loads.Usual), Gateways: 2, Named: true},
	{ID: "rollout", What: "agents, each of 8 replicas is replaced in turn", Load: loads.Of(loads.Agents), KVTokens: 400_000, Varies: true, Changing: Changing{Kind: Rollout, Begin: 0.3, End: 0.7}},
	{ID: "restarts", What: "8 replicas, each in turn is away for a while", Load: loads.Of(loads.Usual.Busier(0.7, 6000)), Changing: Changing{Kind: Restarts, Begin: 0.2, End: 0.9, Away: 0.03}},
	{ID: "scale-out", What: "conversations, 4 of 8 replicas join after a third", Published: true, Load: loads.Recorded(loads.ConversationFile), KVTokens: 3000 * 512, Changing: Changing{Kind: Scales, Part: 4, Begin: 0.33}},
	{ID: "scale-in", What: "agents, 2 of 8 replicas leave after half of the time", Load: loads.Of(loads.Agents), KVTokens: 400_000, Varies: true, Changing: Changing{Kind: Shrinks, Part: 2, Begin: 0.5}},
	{ID: "synthetic-host", What: "synthetic-small; replicas keep KV in host memory, four times as much", Published: true, Load: loads.Recorded(loads.SyntheticFile), KVTokens: 800 * 512, Speed: 2, HostKV: 4},
	{ID: "synthetic-host-untold", What: "the same; answers do not tell their cached tokens", Published: true, Load: loads.Recorded(loads.SyntheticFile), KVTokens: 800 * 512, Speed: 2, HostKV: 4, Untold: true},
	{ID: "kubeai-70b-host", What: "kubeai-70b; KV in host memory, four times as much", Load: kubeLoad(loads.ChatThreads), Profile: loads.H100For70B, Closed: true, Clients: 320, Twice: true, Rate: true, HostKV: 4},
	{ID: "kubeai-2-untold", What: "kubeai-2; answers do not tell their cached tokens", Load: kubeLoad(loads.ChatThreads), Replicas: 2, Profile: loads.L4(0.60, 131_072), Closed: true, Clients: 80, Twice: true, Rate: true, Untold: true},
	{ID: "overload", What: "1.3 × capacity for ten minutes", Load: loads.Phased(heavy, overload...), Closed: true, Varies: true, Phases: overload},
	{ID: "overload-2", What: "2 replicas, 1.8 × capacity for three minutes, then .7 of it", Load: loads.Phased(longer, rush...), Replicas: 2, Closed: true, Varies: true, Phases: rush},
}

// kubeLoad is one of KubeAI's loads, twice in a row.
func kubeLoad(draw func(seed uint64) *trace.Trace) loads.Load {
	return func(d *loads.Drawing) (*trace.Trace, error) { return loads.Twice(draw(d.Seed)), nil }
}
