package main

import "warmroute/plugin/worker"

//go:generate go test -run ^Test(MetricsPage|LabelsOfExamples|GrafanaAsksForWhatThereIs)$ -update

// metricID names a metric; the labels of each are in definitions, which the documents, the dashboard and the alert rules are
// tested against. Texts are in metrics_help_test.go: the module does without.
type metricID uint8

const (
	requestsTotal metricID = iota
	answersTotal
	passedTotal
	removedHeadersTotal
	crossZoneTotal
	unlistedModelTotal
	heldRequests
	heldTotal
	heldMilliseconds
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
}

var definitions = [metricIDs]definition{
	requestsTotal:             {counter, "warmroute_requests_total", "reason endpoint arm pool"},
	answersTotal:              {counter, "warmroute_answers_total", "outcome endpoint arm pool"},
	passedTotal:               {counter, "warmroute_passed_total", "reason pool"},
	removedHeadersTotal:       {counter, "warmroute_removed_headers_total", ""},
	crossZoneTotal:            {counter, "warmroute_cross_zone_total", "pool"},
	unlistedModelTotal:        {counter, "warmroute_unlisted_model_total", "pool"},
	heldRequests:              {gauge, "warmroute_held", "pool"},
	heldTotal:                 {counter, "warmroute_held_total", "outcome pool"},
	heldMilliseconds:          {histogram, "warmroute_held_milliseconds", "pool"},
	inFlight:                  {gauge, "warmroute_in_flight", "endpoint pool"},
	decisionMicroseconds:      {histogram, "warmroute_decision_microseconds", ""},
	ttftMilliseconds:          {histogram, "warmroute_ttft_milliseconds", "endpoint arm pool"},
	ttftByReasonMilliseconds:  {histogram, "warmroute_ttft_by_reason_milliseconds", "reason arm pool"},
	waitingPrefillTokens:      {gauge, "warmroute_waiting_prefill_tokens", "endpoint pool"},
	promptTokensTotal:         {counter, "warmroute_prompt_tokens_total", "endpoint arm pool"},
	cachedTokensTotal:         {counter, "warmroute_cached_tokens_total", "endpoint arm pool"},
	expectedTokensTotal:       {counter, "warmroute_expected_cached_tokens_total", "endpoint arm pool"},
	shadowDecisionsTotal:      {counter, "warmroute_shadow_decisions_total", "outcome policy pool"},
	shadowLiveTokensTotal:     {counter, "warmroute_shadow_live_tokens_total", "policy pool"},
	shadowExpectedTokensTotal: {counter, "warmroute_shadow_expected_tokens_total", "policy pool"},
	tokensSavedTotal:          {counter, "warmroute_tokens_saved_total", "baseline policy pool"},
	prefillSavedSecondsTotal:  {counter, "warmroute_prefill_saved_seconds_total", "baseline policy pool"},
	armStreamsTotal:           {counter, "warmroute_experiment_streams_total", "arm group policy pool"},
	armTTFTTotal:              {counter, "warmroute_experiment_ttft_milliseconds_total", "arm group policy pool"},
	armAnswersTotal:           {counter, "warmroute_experiment_answers_total", "arm group policy pool"},
	armPromptTokensTotal:      {counter, "warmroute_experiment_prompt_tokens_total", "arm group policy pool"},
	armComputedTokensTotal:    {counter, "warmroute_experiment_computed_tokens_total", "arm group policy pool"},
	endpointsKnown:            {gauge, "warmroute_endpoints", "pool"},
	endpointsDown:             {gauge, "warmroute_endpoints_down", "pool"},
	endpointsDraining:         {gauge, "warmroute_endpoints_draining", "pool"},
	lastScrapeSeconds:         {gauge, "warmroute_last_scrape_timestamp_seconds", "endpoint pool"},
	lastDiscoverySeconds:      {gauge, "warmroute_last_discovery_timestamp_seconds", "pool"},
	scrapeErrorsTotal:         {counter, "warmroute_scrape_errors_total", "endpoint pool"},
	discoveryErrorsTotal:      {counter, "warmroute_discovery_errors_total", "pool"},
	peersKnown:                {gauge, "warmroute_peers", "pool"},
	peerAgeMilliseconds:       {gauge, "warmroute_peer_age_milliseconds", "pool"},
	peerEntriesTotal:          {counter, "warmroute_peer_entries_total", "pool"},
	peerBytesTotal:            {counter, "warmroute_peer_bytes_total", "direction pool"},
	peerFaultsTotal:           {counter, "warmroute_peer_faults_total", "reason peer"},
	endpointsDropped:          {gauge, "warmroute_endpoints_dropped", "pool"},
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

// metrics are those of one worker; Envoy adds up what all workers count under one name.
type metrics struct {
	bound    *endpointBound
	outside  family // requests that are in no pool, passed on unsteered
	removed  metric
	decision metric
	took     []uint64           // µs: decisions that wait for tell
	pools    []*poolMetrics     // by the place of the pool
	faults   map[string]*family // of other gateways, by address
}

// mostTook is how many decisions wait for tell, at most.
const mostTook = 256

// newMetrics makes the metrics of a worker in which at most `most` endpoints have labels of their own.
func newMetrics(most int) *metrics {
	return &metrics{
		bound:    &endpointBound{most: most},
		outside:  family{id: passedTotal},
		removed:  removedHeadersTotal.define(),
		decision: decisionMicroseconds.define(),
		took:     make([]uint64, 0, mostTook),
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
	if len(m.took) == mostTook {
		m.tell()
	}
	m.took = append(m.took, uint64(max(took, 0)/1e3))
	of.active = true
}

// tell passes on what requests have added since the last call. The tick calls it: calls to the proxy one after the other take
// .4 µs each, among a request's others more than 1 (docs/measurements.md).
func (m *metrics) tell() {
	for _, v := range m.took {
		m.decision.record(v)
	}
	for _, e := range m.bound.untold {
		e.tell()
	}
	m.took, m.bound.untold = m.took[:0], m.bound.untold[:0]
}

// tellMetrics passes on what requests have added, in all pools.
func (p *plugin) tellMetrics() {
	p.metrics.tell()
	if p.worker == nil {
		return // none has been added since it stands by
	}
	for _, of := range p.worker.Pools() {
		if known := of.Known(); known != nil {
			p.metrics.of(of).tell(known)
		}
	}
}

// showPools sets the metrics of the pools.
func (p *plugin) showPools(t int64) {
	p.tellMetrics()
	second := t-p.ticked >= tickEvery || t < p.ticked
	if second {
		p.ticked = t
	}
	for _, of := range p.worker.Pools() {
		known := of.Known()
		if known == nil {
			continue
		}
		m := p.metrics.of(of)
		if of.Leads() {
			m.show(gaugeInFlight, known, t)
			if second {
				m.show(gaugeWaiting, known, t)
			}
		}
		if second {
			m.showSize(known)
		}
		if g := of.Gossip(); g != nil && second {
			m.showPeers(g.Stats(t), of.Leads())
		}
	}
}
