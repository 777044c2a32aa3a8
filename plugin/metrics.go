package main

import "warmroute/plugin/worker"

//go:generate go test -run ^Test(MetricsPage|LabelsOfExamples|GrafanaAsksForWhatThereIs)$ -update

// metricID names a metric; the labels and the help text of each are in definitions, which the documents, the dashboard
// and the alert rules are tested against.
type metricID uint8

const (
	requestsTotal metricID = iota
	answersTotal
	passedTotal
	removedHeadersTotal
	crossZoneTotal
	unlistedModelTotal
	inFlight
	decisionMicroseconds
	waitingPrefillTokens
	ttftMilliseconds
	ttftByReasonMilliseconds
	promptTokensTotal
	cachedTokensTotal
	expectedTokensTotal
	shadowDecisionsTotal
	shadowLiveTokensTotal
	shadowExpectedTokensTotal
	tokensSavedTotal
	prefillSavedSecondsTotal
	armStreamsTotal
	armTTFTTotal
	armAnswersTotal
	armPromptTokensTotal
	armComputedTokensTotal
	endpointsKnown
	endpointsDown
	endpointsDraining
	lastScrapeSeconds
	lastDiscoverySeconds
	scrapeErrorsTotal
	discoveryErrorsTotal
	endpointsDropped
	peersKnown
	peerAgeMilliseconds
	peerEntriesTotal
	peerBytesTotal
	peerFaultsTotal
	metricIDs
)

// definition says what a metric is. A name ends in its unit, and in _total where it is a counter (Prometheus, "Metric and
// label naming"); Envoy's histograms hold whole numbers, hence microseconds and milliseconds.
type definition struct {
	kind   metricKind
	name   string
	labels string // separated by spaces; one whose value is empty is left out. The examples name them all, by go generate
	help   string
}

var definitions = [metricIDs]definition{
	requestsTotal:             {counter, "warmroute_requests_total", "reason endpoint arm pool", "Requests steered, by the decision's reason and first endpoint."},
	answersTotal:              {counter, "warmroute_answers_total", "outcome endpoint arm pool", "Steered requests that have ended, by how and where."},
	passedTotal:               {counter, "warmroute_passed_total", "reason pool", "Requests passed on unsteered; stalled: resumed because the body made no progress."},
	removedHeadersTotal:       {counter, "warmroute_removed_headers_total", "", "Steering headers that clients had sent."},
	crossZoneTotal:            {counter, "warmroute_cross_zone_total", "pool", "Requests steered whose first endpoint is in another zone than the proxy; only where endpoints are."},
	unlistedModelTotal:        {counter, "warmroute_unlisted_model_total", "pool", "Requests steered for a model that no endpoint lists, while the lists of all are known; only with scrape.models."},
	inFlight:                  {gauge, "warmroute_in_flight", "endpoint pool", "Steered requests whose stream has not ended, five times a second; not with the steering target hash."},
	decisionMicroseconds:      {histogram, "warmroute_decision_microseconds", "", "Time that one decision took, steering included."},
	ttftMilliseconds:          {histogram, "warmroute_ttft_milliseconds", "endpoint arm pool", "Decision to first byte of an SSE answer."},
	ttftByReasonMilliseconds:  {histogram, "warmroute_ttft_by_reason_milliseconds", "reason arm pool", "The same, by the decision's reason."},
	waitingPrefillTokens:      {gauge, "warmroute_waiting_prefill_tokens", "endpoint pool", "Prompt tokens at the endpoint that are not computed yet, of this proxy's requests, as estimated once a second: a signal to scale by."},
	promptTokensTotal:         {counter, "warmroute_prompt_tokens_total", "endpoint arm pool", "Prompt tokens, as the replicas report them."},
	cachedTokensTotal:         {counter, "warmroute_cached_tokens_total", "endpoint arm pool", "Those of them that came from a prefix cache."},
	expectedTokensTotal:       {counter, "warmroute_expected_cached_tokens_total", "endpoint arm pool", "Those of them that were expected to, as estimated."},
	shadowDecisionsTotal:      {counter, "warmroute_shadow_decisions_total", "outcome policy pool", "Decisions of the shadow policy, by whether it agrees with the live one on the first endpoint or differs."},
	shadowLiveTokensTotal:     {counter, "warmroute_shadow_live_tokens_total", "policy pool", "Prompt tokens that the live policy expected in the cache at its first endpoint, as estimated."},
	shadowExpectedTokensTotal: {counter, "warmroute_shadow_expected_tokens_total", "policy pool", "Prompt tokens that the shadow policy expected in the cache at its own."},
	tokensSavedTotal:          {counter, "warmroute_tokens_saved_total", "baseline policy pool", "Prompt tokens that were not computed and would have been by the baseline: shadow, that policy as estimated; experiment, that policy by the share that it computes of its own prompts. Net: a loss is made up before more is counted."},
	prefillSavedSecondsTotal:  {counter, "warmroute_prefill_saved_seconds_total", "baseline policy pool", "Seconds of an endpoint's prefill that they would have taken, at the speed that first tokens show."},
	armStreamsTotal:           {counter, "warmroute_experiment_streams_total", "arm group policy pool", "Streamed answers of an experiment's arm, by group of sessions or windows: how the groups differ gives the interval."},
	armTTFTTotal:              {counter, "warmroute_experiment_ttft_milliseconds_total", "arm group policy pool", "Sum of their times to the first token."},
	armAnswersTotal:           {counter, "warmroute_experiment_answers_total", "arm group policy pool", "Answers of an arm whose usage is known."},
	armPromptTokensTotal:      {counter, "warmroute_experiment_prompt_tokens_total", "arm group policy pool", "Their prompt tokens, as the replicas report them."},
	armComputedTokensTotal:    {counter, "warmroute_experiment_computed_tokens_total", "arm group policy pool", "Those of them that came from no prefix cache."},
	endpointsKnown:            {gauge, "warmroute_endpoints", "pool", "Endpoints in the pool, as the worker that decided last knows it."},
	endpointsDown:             {gauge, "warmroute_endpoints_down", "pool", "Those of them that fail, as that worker has seen."},
	endpointsDraining:         {gauge, "warmroute_endpoints_draining", "pool", "Those of them that get no new requests."},
	lastScrapeSeconds:         {gauge, "warmroute_last_scrape_timestamp_seconds", "endpoint pool", "When the endpoint's metrics were last read, seconds since 1970; 0: never, or it has left the pool."},
	lastDiscoverySeconds:      {gauge, "warmroute_last_discovery_timestamp_seconds", "pool", "When the list of endpoints was last read, seconds since 1970; 0: never."},
	scrapeErrorsTotal:         {counter, "warmroute_scrape_errors_total", "endpoint pool", "Readings of an endpoint's metrics that failed."},
	discoveryErrorsTotal:      {counter, "warmroute_discovery_errors_total", "pool", "Readings of the list of endpoints that failed."},
	peersKnown:                {gauge, "warmroute_peers", "pool", "Other gateways that have given news within the last seconds."},
	peerAgeMilliseconds:       {gauge, "warmroute_peer_age_milliseconds", "pool", "Age of the oldest of their news."},
	peerEntriesTotal:          {counter, "warmroute_peer_entries_total", "pool", "Requests of other gateways that were taken over from their news."},
	peerBytesTotal:            {counter, "warmroute_peer_bytes_total", "direction pool", "Bytes of news, received and sent."},
	peerFaultsTotal:           {counter, "warmroute_peer_faults_total", "reason peer", "Gateways that were asked and gave no news that can be used, by reason and address; without an address, asks that were refused."},
	endpointsDropped:          {gauge, "warmroute_endpoints_dropped", "pool", "Addresses that have no metrics of their own and are counted as other, because metric_endpoints have."},
}

// define makes the metric, with the values of its labels in their order. They stand in front of its name as
// `label=.=value;.;`, the form that Istio's extraStatTags take out again, and the stats_tags of examples/envoy.
func (id metricID) define(values ...string) metric {
	d := &definitions[id]
	name, labels := "", d.labels
	for _, value := range values {
		label := labels
		for i := range labels {
			if labels[i] == ' ' {
				label, labels = labels[:i], labels[i+1:]
				break
			}
		}
		if value != "" {
			name += label + "=.=" + value + ";.;"
		}
	}
	return defineMetric(d.kind, name+d.name)
}

// family is a counter by the value of its first label, each defined at its first use: most never occur.
type family struct {
	id   metricID
	rest []string // values of the other labels
	by   []member // they are few: a map would allocate at each look (TinyGo)
}

type member struct {
	value string
	metric
}

func (f *family) add(value string) {
	for i := range f.by {
		if f.by[i].value == value {
			f.by[i].add(1)
			return
		}
	}
	f.by = append(f.by, member{value, f.id.define(append([]string{value}, f.rest...)...)})
	f.by[len(f.by)-1].add(1)
}

// metrics are those of one worker; Envoy adds up what all workers count under one name.
type metrics struct {
	bound    *endpointBound
	outside  family // requests that are in no pool, passed on unsteered
	removed  metric
	decision metric
	pools    []*poolMetrics     // by the place of the pool
	faults   map[string]*family // of other gateways, by address
}

// newMetrics makes the metrics of a worker in which at most `most` endpoints have labels of their own.
func newMetrics(most int) *metrics {
	return &metrics{
		bound:    &endpointBound{most: most},
		outside:  family{id: passedTotal},
		removed:  removedHeadersTotal.define(),
		decision: decisionMicroseconds.define(),
	}
}

// of is the metrics of a pool, made at the first call.
func (m *metrics) of(p *worker.Pool) *poolMetrics {
	for len(m.pools) <= p.Place() {
		m.pools = append(m.pools, nil)
	}
	if m.pools[p.Place()] == nil || m.pools[p.Place()].name != p.Name() {
		cfg := p.Config()
		m.pools[p.Place()] = newPoolMetrics(p.Name(), m.bound, cfg.Shadow)
		if e := cfg.Experiment; e.Share > 0 {
			m.pools[p.Place()].experiment = newExperimentMetrics(cfg.Policy.String(), e.Policy.String(), p.Name())
			m.pools[p.Place()].experimentGain = newGain("experiment", e.Policy.String(), p.Name())
		}
	}
	return m.pools[p.Place()]
}

// decided notes a decision that took a time in nanoseconds.
func (m *metrics) decided(of *poolMetrics, took int64) {
	m.decision.record(uint64(max(took, 0) / 1e3))
	of.active = true
}
