package logs

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"warmroute/hostsim/internal/find"
	"warmroute/hostsim/internal/layout"
	"warmroute/hostsim/internal/loose"
)

// shape is a kind of log that is read, for messages.
type shape struct {
	name    string
	has     []string // members, or words of a text, that tell it; the first tells most
	example string
}

// lengths is a table of how long prompts are, without them.
const lengths = "lengths alone"

// Shapes are one line each, as docs/traces.md has them.
var shapes = []shape{
	{"access log with bodies", []string{"request_body", "method", "path", "body", "status", "duration", "start_time", "time", "request_time", "uri", "upstream", "response_code", "authority", "user_agent", "POST /", "HTTP/1."},
		`{"time":"2026-03-01T09:00:00.120Z","path":"/v1/chat/completions","request_body":"{\"model\":\"m\",\"messages\":[…]}","response_body":"…"}`},
	{"LiteLLM", []string{"call_type", "startTime", "endTime", "completionStartTime", "litellm_call_id", "model_group", "proxy_server_request", "api_base"},
		`{"id":"a","call_type":"acompletion","startTime":1772355600.12,"endTime":1772355603.5,"model":"m","messages":[…],"completion_tokens":120,…}`},
	{"OpenAI batch", []string{"custom_id", "url", "response", "error"},
		`{"custom_id":"a","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[…]}}`},
	{"vLLM request log", []string{"Received request", "vllm", "engine", "SamplingParams", "APIServer", "throughput", "logger.py"},
		`INFO 03-01 09:00:00 [logger.py:43] Received request cmpl-1: prompt: '…', params: SamplingParams(… max_tokens=100 …), prompt_token_ids: None, …`},
	{"SGLang request log", []string{"sampling_params", "GenerateReqInput", "request.received", "request.finished", "server_args=", "#new-token"},
		`[2026-03-01 09:00:00] Receive: obj=GenerateReqInput(rid='a', text='…', input_ids=None, sampling_params={'max_new_tokens': 100}, …)`},
	{"Bedrock invocation log", []string{"ModelInvocationLog", "inputBodyJson", "modelId", "outputBodyJson"},
		`{"schemaType":"ModelInvocationLog","timestamp":"2026-03-01T09:00:00Z","modelId":"m","input":{"inputBodyJson":{"messages":[…]}},"output":{…}}`},
	{"Gemini bodies", []string{"contents", "generateContent", "full_request", "generationConfig", "systemInstruction", "candidates"},
		`{"contents":[{"role":"user","parts":[{"text":"…"}]}],"systemInstruction":{"parts":[{"text":"…"}]}}`},
	{"Langfuse, LangSmith", []string{"run_type", "GENERATION", "observations", "inputs", "outputs", "usage_details", "usageDetails", "parentObservationId", "invocation_params"},
		`{"type":"GENERATION","startTime":"2026-03-01T09:00:00Z","sessionId":"a","model":"m","input":[{"role":"user","content":"…"}],"output":…}`},
	{"OpenTelemetry spans with messages", []string{"resourceSpans", "gen_ai", "spans", "traceId", "trace_id", "attributes", "kind", "gen_ai.operation.name", "gen_ai.request.model"},
		`{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"…","attributes":[{"key":"gen_ai.input.messages","value":{"stringValue":"[…]"}},…]}]}]}]}`},
	{"whole conversations", []string{"conversations", "from", "value", "human", "gpt"},
		`[{"id":"a","conversations":[{"from":"human","value":"…"},{"from":"gpt","value":"…"}]}]`},
	{"bare bodies", []string{"messages", "model", "prompt", "input", "max_tokens", "temperature", "role", "content"},
		`{"model":"m","messages":[{"role":"user","content":"…"}]}`},
	{"messages one by one", []string{"conversation_id", "role", "content", "created_at", "parentUuid"},
		`{"conversation_id":"a","role":"user","content":"…","created_at":"2026-03-01T09:00:00Z"}`},
	{lengths, []string{"Request tokens", "Response tokens", "Total tokens", "num_prefill_tokens", "num_decode_tokens"},
		"TIMESTAMP,ContextTokens,GeneratedTokens\n  2023-11-16 18:15:46.6805900,374,44"},
	{"trace", []string{"t", "output_tokens", "hash_ids", "input_length", "timestamp", "think"},
		`{"t":0.12,"session":"a","body":{"model":"m","messages":[…]},"output_tokens":120}`},
}

// ErrRecords is wrapped by the error of a log whose requests are the module's records, which trace.Read reads.
var ErrRecords = errors.New("the log has records of the module (setting record)")

// nothing is the error of a log without a request: its first line, the nearest shape, and why lines were left out.
func (c *collector) nothing() error {
	if c.first == nil && c.skipped > 0 {
		return fmt.Errorf("%s: nothing is left after the first %s, which --skip leaves out", c.name, plural(c.skipped, "line"))
	} else if c.report.Lines == 0 {
		return fmt.Errorf("%s: it is empty", c.name)
	}
	if c.recorded > 0 {
		return fmt.Errorf("%s:%d: %w, which begin after many other lines: tail -n +%[2]d FILE | hostsim advise --trace -", c.name, c.recorded, ErrRecords)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: no request in %d lines", c.name, c.report.Lines)
	for _, l := range c.report.causes() {
		fmt.Fprintf(&b, "\n  %d × %s (first at line %d)", l.n, l.why, l.first.Line)
	}
	if c.first == nil { // all were broken
		return errors.New(b.String())
	}
	fmt.Fprintf(&b, "\nIts line 1 is\n  %s", loose.Short(strings.Map(printable, string(c.first)), 200))
	near := nearest(string(c.first))
	fmt.Fprintf(&b, "\nThe nearest shape that is read is \"%s\":\n  %s", near.name, near.example)
	switch {
	case len(c.orphans) > 0:
		b.WriteString("\nThese are answers alone. Give the requests too: hostsim import REQUESTS ANSWERS | hostsim advise --trace -")
	case near.name == "LiteLLM":
		b.WriteString("\nLiteLLM keeps prompts in its spend logs where general_settings has store_prompts_in_spend_logs: true.")
	case near.name == lengths:
		b.WriteString("\nLengths do not say what prompts share: in this form they are replayed as prompts that share nothing.")
	case layout.Columns(c.first) != nil:
		fmt.Fprintf(&b, "\nIf it is a table, its columns are %s. One must be named prompt (a text or a list of messages), or hold a request's body. A column such as timestamp has the times, and one named response the answers.",
			loose.Short(strings.Map(printable, strings.Join(layout.Columns(c.first), ", ")), 400))
	case c.left(unlogged):
		b.WriteString("\nIn nginx: client_body_buffer_size 4m; client_body_in_single_buffer on; and $request_body in the log_format.")
	case near.name == shapes[0].name || c.left(find.Hidden):
		b.WriteString("\nA log without bodies does not say what prompts share. Let the proxy log them, or let the module log hashes of them: hostsim advise --record --form envoy (or wasmplugin) prints the configuration.")
	}
	b.WriteString("\ndocs/traces.md has all shapes, each with an example.")
	return errors.New(b.String())
}

// nearest is the shape most of whose telling words are in a line; the first on a tie.
func nearest(line string) shape {
	best, most := shapes[0], 0
	lower := strings.ToLower(line)
	for _, s := range shapes {
		n := 0
		for i, word := range s.has {
			quoted := `"` + strings.ToLower(word) + `"`
			if strings.Contains(lower, quoted) || len(word) > 4 && strings.Contains(lower, strings.ToLower(word)) {
				n++
				if i == 0 {
					n += 2
				}
			}
		}
		if n > most {
			best, most = s, n
		}
	}
	return best
}

// printable keeps what a terminal obeys out of messages.
func printable(r rune) rune {
	if unicode.IsPrint(r) || r == '\t' {
		return r
	}
	return '·'
}
