package metrics

//go:generate go test -run ^Test(MetricsPage|LabelsOfExamples|GrafanaAsksForWhatThereIs)$ -update

// metricID names a metric; the labels of each are in definitions, which the documents, the dashboard and the alert rules are
// tested against. Texts are in help_test.go: the module does without.
type metricID uint8

const (
	requestsTotal metricID = iota
	answersTotal
	passedTotal
	removedHeadersTotal
	crossZoneTotal
	unlistedModelTotal
	lateModelTotal
	heldRequests
	heldTotal
	heldMilliseconds
	inFlight
	downSinceSeconds
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
	peersFormerSecret
	peerAgeMilliseconds
	peerEntriesTotal
	peerBytesTotal
	peerFaultsTotal
	metricIDs
)

// definition says what a metric is. A name ends in its unit, and in _total where it is a counter (Prometheus, "Metric and
// label naming"); Envoy's histograms hold whole numbers, hence microseconds and milliseconds.
type definition struct {
	kind   Kind
	name   string
	labels string // separated by spaces; one whose value is empty is left out. The examples name them all, by go generate
}

var definitions = [metricIDs]definition{
	requestsTotal:             {Counter, "warmroute_requests_total", "reason endpoint arm pool"},
	answersTotal:              {Counter, "warmroute_answers_total", "outcome endpoint arm pool"},
	passedTotal:               {Counter, "warmroute_passed_total", "reason pool"},
	removedHeadersTotal:       {Counter, "warmroute_removed_headers_total", ""},
	crossZoneTotal:            {Counter, "warmroute_cross_zone_total", "pool"},
	unlistedModelTotal:        {Counter, "warmroute_unlisted_model_total", "pool"},
	lateModelTotal:            {Counter, "warmroute_late_model_total", ""},
	heldRequests:              {Gauge, "warmroute_held", "pool"},
	heldTotal:                 {Counter, "warmroute_held_total", "outcome pool"},
	heldMilliseconds:          {Histogram, "warmroute_held_milliseconds", "pool"},
	inFlight:                  {Gauge, "warmroute_in_flight", "endpoint pool"},
	decisionMicroseconds:      {Histogram, "warmroute_decision_microseconds", ""},
	ttftMilliseconds:          {Histogram, "warmroute_ttft_milliseconds", "endpoint arm pool"},
	ttftByReasonMilliseconds:  {Histogram, "warmroute_ttft_by_reason_milliseconds", "reason arm pool"},
	waitingPrefillTokens:      {Gauge, "warmroute_waiting_prefill_tokens", "endpoint pool"},
	promptTokensTotal:         {Counter, "warmroute_prompt_tokens_total", "endpoint arm pool"},
	cachedTokensTotal:         {Counter, "warmroute_cached_tokens_total", "endpoint arm pool"},
	expectedTokensTotal:       {Counter, "warmroute_expected_cached_tokens_total", "endpoint arm pool"},
	shadowDecisionsTotal:      {Counter, "warmroute_shadow_decisions_total", "outcome policy pool"},
	shadowLiveTokensTotal:     {Counter, "warmroute_shadow_live_tokens_total", "policy pool"},
	shadowExpectedTokensTotal: {Counter, "warmroute_shadow_expected_tokens_total", "policy pool"},
	tokensSavedTotal:          {Counter, "warmroute_tokens_saved_total", "baseline policy pool"},
	prefillSavedSecondsTotal:  {Counter, "warmroute_prefill_saved_seconds_total", "baseline policy pool"},
	armStreamsTotal:           {Counter, "warmroute_experiment_streams_total", "arm group policy pool"},
	armTTFTTotal:              {Counter, "warmroute_experiment_ttft_milliseconds_total", "arm group policy pool"},
	armAnswersTotal:           {Counter, "warmroute_experiment_answers_total", "arm group policy pool"},
	armPromptTokensTotal:      {Counter, "warmroute_experiment_prompt_tokens_total", "arm group policy pool"},
	armComputedTokensTotal:    {Counter, "warmroute_experiment_computed_tokens_total", "arm group policy pool"},
	endpointsKnown:            {Gauge, "warmroute_endpoints", "pool"},
	endpointsDown:             {Gauge, "warmroute_endpoints_down", "pool"},
	endpointsDraining:         {Gauge, "warmroute_endpoints_draining", "pool"},
	downSinceSeconds:          {Gauge, "warmroute_endpoint_down_since_timestamp_seconds", "reason endpoint pool"},
	lastScrapeSeconds:         {Gauge, "warmroute_last_scrape_timestamp_seconds", "endpoint pool"},
	lastDiscoverySeconds:      {Gauge, "warmroute_last_discovery_timestamp_seconds", "pool"},
	scrapeErrorsTotal:         {Counter, "warmroute_scrape_errors_total", "endpoint pool"},
	discoveryErrorsTotal:      {Counter, "warmroute_discovery_errors_total", "pool"},
	peersKnown:                {Gauge, "warmroute_peers", "pool"},
	peersFormerSecret:         {Gauge, "warmroute_peers_former_secret", "pool"},
	peerAgeMilliseconds:       {Gauge, "warmroute_peer_age_milliseconds", "pool"},
	peerEntriesTotal:          {Counter, "warmroute_peer_entries_total", "pool"},
	peerBytesTotal:            {Counter, "warmroute_peer_bytes_total", "direction pool"},
	peerFaultsTotal:           {Counter, "warmroute_peer_faults_total", "reason peer"},
	endpointsDropped:          {Gauge, "warmroute_endpoints_dropped", "pool"},
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
	made, ok := proxy.DefineMetric(d.kind, name+d.name)
	if !ok {
		return 0
	}
	return metric(made + 1)
}
