package metrics

// helps say what each metric is, for documents and dashboard: Envoy has no place for them, so the module does without.
var helps = [metricIDs]string{
	requestsTotal:             "Requests steered, by the decision's reason and first endpoint.",
	answersTotal:              "Steered requests that have ended, by how and where.",
	passedTotal:               "Requests passed on unsteered; stalled: resumed because the body made no progress.",
	removedHeadersTotal:       "Steering headers that clients had sent.",
	heldRequests:              "Requests that the gateway holds until a replica has room (hold_limit): they wait as well as those that replicas report; add them where you scale by waiting requests. Their tokens are in warmroute_waiting_prefill_tokens.",
	heldTotal:                 "Requests that were held, by how it ended: room, limit (hold_limit), left (the client).",
	heldMilliseconds:          "How long each was held; not in the time to the first token, which begins with the decision.",
	crossZoneTotal:            "Requests steered whose first endpoint is in another zone than the proxy; only where endpoints are.",
	unlistedModelTotal:        "Requests steered for a model that no endpoint lists, while the lists of all are known; only with scrape.models.",
	lateModelTotal:            "Requests that went on before their model had come, where the pool or the endpoints depend on it (docs/pools.md#bodies-whose-model-comes-last).",
	inFlight:                  "Steered requests whose stream has not ended, five times a second; not with the steering target hash.",
	decisionMicroseconds:      "Time that one decision took, steering included.",
	ttftMilliseconds:          "Decision to first byte of an SSE answer, without the comments and events that may come before.",
	ttftByReasonMilliseconds:  "The same, by the decision's reason.",
	waitingPrefillTokens:      "Prompt tokens that are not computed yet, of this proxy's requests: at the endpoint, as estimated once a second, and without that label held at the gateway (hold_limit). Their sum is a signal to scale by.",
	promptTokensTotal:         "Prompt tokens, as the replicas report them.",
	cachedTokensTotal:         "Those of them that came from a prefix cache.",
	expectedTokensTotal:       "Those of them that were expected to, as estimated.",
	shadowDecisionsTotal:      "Decisions of the shadow policy, by whether it agrees with the live one on the first endpoint or differs.",
	shadowLiveTokensTotal:     "Prompt tokens that the live policy expected in the cache at its first endpoint, as estimated.",
	shadowExpectedTokensTotal: "Prompt tokens that the shadow policy expected in the cache at its own.",
	tokensSavedTotal:          "Prompt tokens that were not computed and would have been by the baseline: shadow, that policy as estimated; experiment, that policy by the share that it computes of its own prompts. Net: a loss is made up before more is counted.",
	prefillSavedSecondsTotal:  "Seconds of an endpoint's prefill that they would have taken, at the speed that first tokens show.",
	armStreamsTotal:           "Streamed answers of an experiment's arm, by group of sessions or windows: how the groups differ gives the interval.",
	armTTFTTotal:              "Sum of their times to the first token.",
	armAnswersTotal:           "Answers of an arm whose usage is known.",
	armPromptTokensTotal:      "Their prompt tokens, as the replicas report them.",
	armComputedTokensTotal:    "Those of them that came from no prefix cache.",
	endpointsKnown:            "Endpoints in the pool, as the worker that decided last knows it, or learned last that some have come or gone.",
	endpointsDown:             "Those of them that fail, as that worker has seen.",
	endpointsDraining:         "Those of them that get no new requests.",
	downSinceSeconds:          "Since when the endpoint is down, seconds since 1970, and why: refused, failing, silent or unhealthy; 0: it is not. Only of endpoints that were down, and not of those counted as other.",
	lastScrapeSeconds:         "When the endpoint's metrics were last read, seconds since 1970; 0: never, or it has left the pool. Of a server with data-parallel ranks the first has it.",
	lastDiscoverySeconds:      "When the list of endpoints was last read, seconds since 1970; 0: never.",
	scrapeErrorsTotal:         "Readings of an endpoint's metrics that failed.",
	discoveryErrorsTotal:      "Readings of the list of endpoints that failed.",
	peersKnown:                "Other gateways that have given news within the last seconds.",
	peersFormerSecret:         "Those of them that do not know the first of this gateway's secrets.",
	peerAgeMilliseconds:       "Age of the oldest of their news.",
	peerEntriesTotal:          "Requests of other gateways that were taken over from their news.",
	peerBytesTotal:            "Bytes of news, received and sent.",
	peerFaultsTotal:           "Gateways that were asked and gave no news that can be used, by reason and address; without an address, asks that were refused.",
	endpointsDropped:          "Addresses that have no metrics of their own and are counted as other, because metric_endpoints have.",
}

func helpOf(name string) string {
	for id, d := range definitions {
		if d.name == name {
			return helps[id]
		}
	}
	return ""
}
