package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
)

// meanings say what the fields of a decision are, in the order of printing.
var meanings = []struct{ name, meaning string }{
	{"policy", "the rule in force"},
	{"reason", "why the endpoint is first"},
	{"why", "why the prompt was not gone by"},
	{"endpoint", "tried first"},
	{"next", "tried after it, in order"},
	{"served", "who answered, as it was not the first choice"},
	{"key", "affinity key: equal for prompts that belong together"},
	{"home", "the ring's own endpoint for the key"},
	{"home_in_flight", "requests in flight there, every client's where its metrics are fresh"},
	{"bound", "requests in flight that it may have, this one included"},
	{"in_flight", "requests in flight at the endpoint, every client's where its metrics are fresh"},
	{"other_in_flight", "the same of the other one that was drawn"},
	{"waiting", "requests believed to wait there for their prefill"},
	{"given", "requests that it was ever given"},
	{"matched", "leading blocks of the prompt that the endpoint is believed to hold"},
	{"blocks", "whole blocks of the prompt, as far as it was read"},
	{"cost_tokens", "prompt tokens that somebody waits for because of the request: its own wait, and what it adds to others'"},
	{"cost_s", "seconds that the request is expected to cost there: its own wait, and what it adds to others'"},
	{"margin", "what the second choice costs more, in the policy's unit; below 0: less, but it is at its bound or not well"},
	{"queued_tokens", "prompt tokens queued there"},
	{"uncached_tokens", "tokens of this prompt to be computed there, as estimated"},
	{"tokens_per_s", "prompt tokens that the endpoint computes a second, as learned from its answers"},
	{"shadow", "the policy that decides beside it, and routes nothing"},
	{"shadow_reason", "why its endpoint would have been first"},
	{"shadow_endpoint", "would have been tried first"},
	{"shadow_matched", "leading blocks that this one would be believed to hold"},
	{"ttft_us", "microseconds to the first part of the streamed answer"},
	{"prompt_tokens", "tokens of the prompt, as the replica counted them"},
	{"cached_tokens", "tokens of them from its cache, as the replica counted them"},
}

// reasons say more about each of route.Reasons.
var reasons = map[string]string{
	"random":      "drawn at random",
	"round_robin": "its turn had come",
	"home":        "the ring gives it this key, and nothing speaks against it",
	"bounded":     "the first choice is at its load bound; the best of those below it",
	"home_away":   "the home is down or draining; the next on the ring",
	"by_load":     "least loaded: nobody is known to hold any of the prompt, or the policy does not ask",
	"match":       "nobody is known to hold more of the prompt",
	"relieved":    "another holds more of the prompt, but load there outweighs that",
	"probe":       "it was down and is tried again",
	"key":         "the proxy chooses the replica, by the key",
}

// whys say more about why the prompt was not gone by.
var whys = map[string]string{
	"no_body":         "the request has no body",
	"expect_continue": "the client waits for leave to send its body",
	"not_json":        "the content type is not JSON",
	"encoded":         "the body is compressed",
	"busy":            "max_inspecting requests are being held",
	"no_body_shown":   "the proxy shows no bodies of held requests",
	"slow":            "the body took too long to come",
	"broken_json":     "the body is not JSON, or is cut short",
	"trailing_bytes":  "the body holds more than one value",
	"too_deep":        "the body is nested too deep",
	"unknown_shape":   "the body is JSON, but not what the path takes",
	"bad_token":       "a token id is not a whole number of 32 bits",
	"no_prompt":       "there is no prompt: the path takes none, or it is absent or empty",
	"no_session":      "neither the headers nor the prompt name a session",
	"no_system":       "the prompt has no system prompt and no tools",
}

// meaningOf says what a field with this value is.
func meaningOf(name, value, why string) string {
	switch {
	case name == "reason" && value == "by_load" && why != "":
		return "least loaded, as the prompt was not gone by"
	case name == "reason" && reasons[value] != "":
		return reasons[value]
	case name == "why" && whys[value] != "":
		return whys[value]
	}
	for _, m := range meanings {
		if m.name == name {
			return m.meaning
		}
	}
	return ""
}

// explain prints a decision as a list of fields with their meanings; "" is none.
func explain(w io.Writer, decision string) error {
	if decision == "" {
		_, err := fmt.Fprintln(w, "passed on unsteered: not an LLM request that warmroute reads")
		return err
	}
	values := map[string]string{}
	var order []string
	for pair := range strings.SplitSeq(decision, ";") {
		name, value, _ := strings.Cut(pair, "=")
		values[name] = value
		order = append(order, name)
	}
	var text bytes.Buffer
	line := func(name string) {
		if value, ok := values[name]; ok {
			delete(values, name)
			fmt.Fprintf(&text, "%-15s %-32s %s\n", name, value, meaningOf(name, value, values["why"]))
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
