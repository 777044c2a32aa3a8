package route

// TrueHit is what an answer's usage says of an endpoint's cache: told is whether it names cached tokens. vLLM leaves
// them out where nothing was cached, so from an endpoint that has named some before, their absence means none.
func (r *Router) TrueHit(endpoint, prompt int, told bool) (known bool) {
	if told {
		r.tells[endpoint] = true
	}
	return told || prompt > 0 && r.tells[endpoint]
}
