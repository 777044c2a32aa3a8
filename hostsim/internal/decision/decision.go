// Package decision reads the text that the module writes for each decision, policy=…;reason=…, and says what its fields mean. It knows the
// module's codes and nothing of who asks.
package decision

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"

	"warmroute/plugin/why"
)

// logged is a decision within a line of a log.
var logged = regexp.MustCompile(`(?:\w+=[^;\s"]*;)*policy=\w+;reason=\w+(?:;\w+=[^;\s"]*)*`)

// Find is the decisions that stand in a text, such as lines of an access log.
func Find(text string) []string { return logged.FindAllString(text, -1) }

// meanings say what the fields of a decision are, in the order of printing.
var meanings = []struct{ name, meaning string }{
	{"pool", "the pool that the request's cluster or model belongs to"},
	{"policy", "the rule in force"},
	{"reason", "why the endpoint is first"},
	{"why", "why the prompt was not used, or what was not known"},
	{"endpoint", "tried first; behind a #: the data-parallel rank"},
	{"next", "tried after it, in order"},
	{"served", "the address that answered, if it was not that of the first choice"},
	{"key", "affinity key: prompts with equal keys have one endpoint on the ring"},
	{"home", "the ring's own endpoint for the key"},
	{"home_in_flight", "requests in flight there; of all clients if its metrics are fresh"},
	{"bound", "requests in flight that it may have, including this one"},
	{"in_flight", "requests in flight at the endpoint; of all clients if its metrics are fresh"},
	{"other_in_flight", "the same at the other endpoint that was drawn"},
	{"waiting", "estimated requests that wait there for their prefill"},
	{"given", "requests sent to it since the start"},
	{"matched", "leading blocks of the prompt that the endpoint is believed to hold"},
	{"blocks", "whole blocks of the prompt, as far as it was read"},
	{"expected_cached_tokens", "tokens of the prompt that the endpoint is believed to hold"},
	{"cost_s", "expected cost of the request there, in seconds: its own wait, and what it adds to that of others"},
	{"margin", "how much better the first choice is than the second, in the policy's unit; below 0: the second is better, but at its bound or failing"},
	{"cost_tokens", "the cost at that endpoint: prompt tokens that all users together wait for"},
	{"queued_tokens", "prompt tokens queued there"},
	{"load_tokens", "tokens that could be computed there while the request's adapter is loaded"},
	{"cross_zone_s", "the endpoint is in another zone than the gateway: what that costs, in seconds"},
	{"uncached_tokens", "estimated tokens of this prompt to compute there"},
	{"crowding_tokens", "what other endpoints of its IP address lose, in tokens: they share a processor, or may"},
	{"tokens_per_s", "prompt tokens per second that the endpoint computes, learned from its responses"},
	{"held_ms", "ms that the request waited at the gateway until a replica had room (hold_limit)"},
	{"arm", "the experiment's arm that the session is in"},
	{"shadow", "the shadow policy, which decides too and routes nothing"},
	{"shadow_reason", "the shadow's reason for its first endpoint"},
	{"shadow_endpoint", "the endpoint that the shadow would have tried first"},
	{"shadow_matched", "leading blocks that the shadow's endpoint would hold, as estimated"},
	{"ttft_us", "microseconds to the first part of the streamed answer"},
	{"prompt_tokens", "tokens of the prompt, as the replica counted them"},
	{"cached_tokens", "prompt tokens from its cache, as the replica counted them"},
}

// reasons say more about each of decision.Reasons, of the module.
var reasons = map[string]string{
	"random":      "drawn at random",
	"round_robin": "its turn had come",
	"home":        "the ring's own endpoint for the key, and not at its bound",
	"bounded":     "the first choice is at its load bound; the best of those below it",
	"barren":      "the first choice lately answers without computing anything; the best of the others",
	"home_away":   "the ring's own endpoint is down, draining, or does not serve the model; the next on the ring",
	"by_load":     "least loaded: no endpoint is known to hold any of the prompt, or the policy ignores prompts",
	"match":       "no endpoint is known to hold more of the prompt",
	"relieved":    "another endpoint holds more of the prompt, but its load outweighs that",
	"probe":       "it was down, and is tried again",
	"key":         "the proxy chooses the replica, by the key",
	"stored":      "it keeps the response that the request continues or asks for; any other would answer 404",
}

// whys say more about why the prompt was not gone by.
var whys = map[why.Code]string{
	"no_body":         "the request has no body",
	"expect_continue": "the client waits for leave to send its body",
	"not_json":        "the content type is not JSON",
	"encoded":         "the body is compressed",
	"busy":            "max_inspecting requests or max_held_bytes are being held",
	"no_body_shown":   "the proxy shows no bodies of held requests",
	"slow":            "the body took too long to come",
	"broken_json":     "the body is not JSON, or is cut short",
	"trailing_bytes":  "the body holds more than one value",
	"too_deep":        "the body is nested too deep",
	"unknown_shape":   "the body is JSON, but not what the path takes",
	"bad_token":       "a token id is not a whole number of 32 bits",
	"no_rank":         "the servers take no data-parallel rank in this API, and choose one by load",
	"no_model":        "the body's model, which says where the request may go, came too late: behind more than the proxy holds",
	"no_prompt":       "there is no prompt: the path takes none, or it is absent or empty",
	"no_session":      "neither the headers nor the prompt name a session",
	"no_system":       "the prompt has no system prompt and no tools",
}

// Meaning says what a field with this value is; code is the decision's why. "": the field is not known.
func Meaning(name, value, code string) string {
	switch {
	case name == "reason" && value == "by_load" && code != "":
		return "least loaded, as the prompt was not gone by"
	case name == "reason" && reasons[value] != "":
		return reasons[value]
	case name == "why" && whys[why.Code(value)] != "":
		return whys[why.Code(value)]
	}
	for _, m := range meanings {
		if m.name == name {
			return m.meaning
		}
	}
	return ""
}

// Fields are the fields of a decision by name.
func Fields(decision string) map[string]string {
	values := map[string]string{}
	for pair := range strings.SplitSeq(decision, ";") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			values[name] = value
		}
	}
	return values
}

// Explain writes a decision as a list of fields with their meanings; "" is none.
func Explain(w io.Writer, decision string) error {
	if decision == "" {
		_, err := fmt.Fprintln(w, "passed on unsteered: not an LLM request that warmroute reads, or in no pool")
		return err
	}
	values := Fields(decision)
	var order []string
	for pair := range strings.SplitSeq(decision, ";") {
		name, _, _ := strings.Cut(pair, "=")
		order = append(order, name)
	}
	width := 15
	for name := range values {
		width = max(width, len(name))
	}
	var text bytes.Buffer
	line := func(name string) {
		if value, ok := values[name]; ok {
			delete(values, name)
			fmt.Fprintf(&text, "%-*s %-32s %s\n", width, name, value, Meaning(name, value, values["why"]))
		}
	}
	for _, m := range meanings {
		line(m.name)
	}
	for _, name := range order {
		line(name)
	}
	_, err := w.Write(text.Bytes())
	return err
}
