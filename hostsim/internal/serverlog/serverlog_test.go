package serverlog

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
)

// vLLM spreads a request over several lines, between those of others; the answer's line completes the call.
func TestVLLM(t *testing.T) {
	var l Log
	if l.Begun() {
		t.Error("begun before its first line")
	}
	at := call.Place{File: "a.log", Line: 7}
	for _, line := range []string{
		`DEBUG 03-01 09:00:00 Request a details: prompt: 'Row 1?', prompt_token_ids: [1, 2], prompt_embeds shape: None.`,
		`DEBUG 03-01 09:00:00 Request b JSON body: {"model":"m","prompt":"Row 1?"}`,
	} {
		if got := l.Line(line, nil, at); !IsLine(line) || got != (Found{}) {
			t.Errorf("%s: %+v", line, got)
		}
	}
	first := l.Line(`INFO 03-01 09:00:00 Received request a: params: SamplingParams(max_tokens=9), lora_request: None.`, nil, at).Call
	second := l.Line(`INFO 03-01 09:00:01 Received request b: prompt: 'Row 2?', params: SamplingParams(n=1), lora_request: LoRARequest(lora_name='x')`, clocks.Line(5, true), at).Call
	l.Line(`DEBUG 03-01 09:00:02 Generated response a: output: 'x', output_token_ids: [4, 5, 6], finish_reason: stop`, nil, at)
	if first == nil || second == nil || string(first.Body) != `{"max_tokens":9,"model":"vllm","prompt":[1,2]}` || string(second.Body) != `{"model":"x","prompt":"Row 2?"}` {
		t.Fatalf("%+v, %+v", first, second)
	}
	if first.Answer.Tokens != 3 || !first.Answer.Counted || second.Answer.Tokens != 0 || second.Clocks[0].At != 5 || first.Clocks[0].At != 951901200 { // of the year 2000
		t.Errorf("%+v, %+v", first, second)
	}
	for b := range l.Bodies() {
		if b.Place != at || b.Why != "a request that vLLM logs once more, as it came" {
			t.Errorf("%+v", b)
		}
	}
	if got := l.Line(`INFO 03-01 09:00:01 Received request c: params: SamplingParams(n=1)`, nil, at); !strings.Contains(got.Why, "no prompts") || !l.Begun() {
		t.Errorf("%+v", got)
	}
}

// Bodies alone are the requests; one whose line was cut is none.
func TestVLLMBodies(t *testing.T) {
	var l Log
	l.Line(`DEBUG 12-31 23:59:59 Request a JSON body: {"model":"m","prompt":"Row 1?"}`, nil, call.Place{})
	l.Line(`DEBUG 01-01 00:00:00 Request b JSON body: {"model":"m","prompt":"Ro`, nil, call.Place{})
	var times []float64
	var cut []bool
	for b := range l.Bodies() {
		times, cut = append(times, b.Clocks[0].At), append(cut, b.Why != "")
	}
	if len(times) != 2 || times[1]-times[0] != 1 || cut[0] || !cut[1] {
		t.Errorf("at %v, cut %v", times, cut)
	}
}

// SGLang logs a request when it comes and when it ends: that is one call.
func TestSGLang(t *testing.T) {
	const receive = `[2026-03-01 09:00:00] Receive: obj=GenerateReqInput(rid='a', text='Which row?', input_ids=None, sampling_params={'max_new_tokens': 9}, lora_path='x')`
	const finish = `[2026-03-01 09:00:03] Finish: obj=GenerateReqInput(rid='a', text='Which row?', sampling_params={}), out={'meta_info': {'completion_tokens': 3, 'e2e_latency': 1.5}}`
	var l Log
	c := l.Line(receive, nil, call.Place{}).Call
	if c == nil || string(c.Body) != `{"max_tokens":9,"model":"x","prompt":"Which row?"}` || c.Clocks[0].At != 1772355600 {
		t.Fatalf("%+v", c)
	}
	if got := l.Line(finish, nil, call.Place{}); got != (Found{}) || c.Answer.Tokens != 3 || !c.Answer.Counted || c.Took != 1.5 {
		t.Errorf("%+v, %+v", got, c)
	}
	if c = l.Line(finish, nil, call.Place{}).Call; c == nil || c.Clocks[0].At != 1772355601.5 {
		t.Errorf("the end alone: %+v", c)
	}
	object := loose.Read([]byte(`{"timestamp":"2026-03-01T09:00:00Z","event":"request.received","rid":"b","obj":{"text":null,"input_ids":[1,2]}}`)).Object()
	if got := l.Object(object); !IsObject(object) || got.Call == nil || string(got.Call.Body) != `{"model":"sglang","prompt":[1,2]}` {
		t.Errorf("%+v", got)
	}
	for line, want := range map[string]string{
		strings.Replace(receive, "Generate", "Embedding", 1):   "not for a prompt: EmbeddingReqInput",
		strings.Replace(receive, "row?'", "' ... 'row?'", 1):   sglangCut,
		strings.Replace(receive, "text='Which row?', ", "", 1): sglangNoPrompt,
		receive[:80]: sglangCut,
	} {
		if got := l.Line(line, nil, call.Place{}); got.Why != want {
			t.Errorf("%s: %+v, want %q", line, got, want)
		}
	}
}
