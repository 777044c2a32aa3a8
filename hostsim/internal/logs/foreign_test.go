package logs

import (
	"io"
	"strings"
	"testing"

	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/timeline"
	"warmroute/hostsim/internal/trace"
)

// Bodies of other APIs become the chats that they stand for: text, calls of tools and their results, images, the tools' definitions.
func TestForeign(t *testing.T) {
	const (
		system = `{"content":"Be brief.","role":"system"}`
		ask    = `{"content":"Which row?","role":"user"}`
		call   = `{"content":"","role":"assistant","tool_calls":[{"function":{"arguments":"{\"field\":3}","name":"rows"},"id":"c1","type":"function"}]}`
		result = `{"content":"{\"row\":7}","role":"tool","tool_call_id":"c1"}`
		said   = `{"content":"Row 7.","role":"assistant"}`
		and    = `{"content":"And?","role":"user"}`
		tools  = `"tools":[{"function":{"description":"d","name":"rows","parameters":{"type":"object"}},"type":"function"}]`
		all    = `{"max_tokens":9,"messages":[` + system + `,` + ask + `,` + call + `,` + result + `,` + said + `,` + and + `],"model":"m",` + tools + `}`
		plain  = `{"max_tokens":9,"messages":[` + system + `,` + ask + `,` + call + `,` + result + `,` + said + `,` + and + `],"model":"m"}`
	)
	for name, c := range map[string]struct{ log, want string }{
		"Gemini": {`{"path":"/v1beta/models/m:generateContent","time":1772355600,"request_body":{"system_instruction":{"parts":[{"text":"Be brief."}]},"contents":[{"parts":[{"text":"Which row?"}]},
			{"role":"model","parts":[{"text":"hm","thought":true},{"functionCall":{"id":"c1","name":"rows","args":{"field":3}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c1","response":{"row":7}}}]},
			{"role":"model","parts":[{"text":"Row 7."}]},{"role":"user","parts":[{"text":"And?"}]}],"generationConfig":{"maxOutputTokens":9},
			"tools":[{"functionDeclarations":[{"name":"rows","description":"d","parameters":{"type":"object"}}]},{"googleSearch":{}}]}}`, all},
		"Converse": {`{"timestamp":"2026-03-01T09:00:00Z","modelId":"m","input":{"inputBodyJson":{"system":[{"text":"Be brief."},{"cachePoint":{"type":"default"}}],"messages":[{"role":"user","content":[{"text":"Which row?"}]},
			{"role":"assistant","content":[{"reasoningContent":{}},{"toolUse":{"toolUseId":"c1","name":"rows","input":{"field":3}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"c1","content":[{"json":{"row":7}}]}}]},
			{"role":"assistant","content":[{"text":"Row 7."}]},{"role":"user","content":[{"text":"And?"}]}],"inferenceConfig":{"maxTokens":9},
			"toolConfig":{"tools":[{"toolSpec":{"name":"rows","description":"d","inputSchema":{"json":{"type":"object"}}}}]}}}}`, all},
		"LangChain, dumped": {`{"run_type":"llm","start_time":"2026-03-01T09:00:00Z","extra":{"invocation_params":{"model":"m","max_tokens":9}},"inputs":{"messages":[[
			{"lc":1,"type":"constructor","id":["langchain","schema","messages","SystemMessage"],"kwargs":{"content":"Be brief."}},{"lc":1,"type":"constructor","id":["a","HumanMessage"],"kwargs":{"content":"Which row?"}},
			{"lc":1,"type":"constructor","id":["a","AIMessageChunk"],"kwargs":{"content":"","tool_calls":[{"name":"rows","args":{"field":3},"id":"c1","type":"tool_call"}]}},
			{"lc":1,"type":"constructor","id":["a","ToolMessage"],"kwargs":{"content":"{\"row\":7}","tool_call_id":"c1"}},{"lc":1,"type":"constructor","id":["a","AIMessage"],"kwargs":{"content":"Row 7."}},
			{"lc":1,"type":"constructor","id":["a","HumanMessage"],"kwargs":{"content":"And?"}}]]}}`, plain},
		"LangChain, as dicts": {`{"ts":1772355600,"model":"m","max_tokens":9,"messages":[{"type":"system","data":{"content":"Be brief."}},{"type":"human","data":{"content":"Which row?"}},
			{"type":"ai","data":{"content":"","additional_kwargs":{"tool_calls":[{"function":{"arguments":"{\"field\":3}","name":"rows"},"id":"c1","type":"function"}]}}},
			{"type":"tool","data":{"content":"{\"row\":7}","tool_call_id":"c1"}},{"type":"ai","data":{"content":"Row 7."}},{"type":"human","data":{"content":"And?"}}]}`, plain},
	} {
		got, _, err := Read([]File{{"a.log", strings.NewReader(strings.ReplaceAll(c.log, "\n\t\t\t", ""))}}, Options{})
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %d requests, %v", name, len(got), err)
		} else if string(got[0].Body) != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got[0].Body, c.want)
		}
	}
}

// An image is not text: it stands for itself in few bytes, which differ with it.
func TestOtherParts(t *testing.T) {
	var bodies []string
	for _, image := range []string{"AAAA", "BBBB"} {
		log := `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/png","data":"` + strings.Repeat(image, 1000) + `"}},{"text":"What is it?"}]}]}`
		got, _, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err != nil || len(got[0].Body) > 200 || !strings.Contains(string(got[0].Body), "What is it?") {
			t.Fatalf("%v: %+v", err, got)
		}
		bodies = append(bodies, string(got[0].Body))
	}
	if bodies[0] == bodies[1] {
		t.Error("two images are one")
	}
}

// What SGLang logs without prompts, or cut, is left out, and said.
func TestSglang(t *testing.T) {
	const finish = `[2026-03-01 09:00:03] Finish: obj=GenerateReqInput(rid='a', text='Which row?', sampling_params={'n': 1}), out={'meta_info': {'completion_tokens': 3, 'e2e_latency': 1.5}}`
	for log, want := range map[string]string{
		finish: "",
		`{"timestamp":"2026-03-01T09:00:00.1","event":"request.received","rid":"a","obj":{"text":null,"input_ids":[1,2,3]}}` + "\n" +
			`{"timestamp":"2026-03-01T09:00:01.1","event":"request.finished","rid":"a","obj":{"text":null,"input_ids":[1,2,3]},"out":{"meta_info":{"completion_tokens":3}}}`: "",
		`{"log":"{\"timestamp\":\"2026-03-01T09:00:00.1\",\"event\":\"request.finished\",\"rid\":\"a\",\"obj\":{\"text\":\"Row?\"},\"out\":{\"meta_info\":{\"completion_tokens\":3}}}"}`: "",
		`[2026-03-01 09:00:00] Receive: obj=GenerateReqInput(rid='b', sampling_params={}, stream=True)` + "\n" + finish:                                                                  "1, SGLang's log has no prompts: it takes --log-requests-level 3",
		`[2026-03-01 09:00:00] Receive: obj=GenerateReqInput(rid='b', text='Which (row' ... 'ripe?', stream=True)` + "\n" + finish:                                                       "1, a prompt that was cut short",
		`[2026-03-01 09:00:00] Receive: obj=GenerateReqInput(rid='b', text='Which` + "\n" + finish:                                                                                       "1, a prompt that was cut short",
		`[2026-03-01 09:00:00] Receive: obj=EmbeddingReqInput(rid='b', text='Which')` + "\n" + finish:                                                                                    "1, not for a prompt: EmbeddingReqInput",
	} {
		got, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err != nil || len(got) != 1 || got[0].OutputTokens != 3 {
			t.Errorf("%s: %v, %+v", log, err, got)
			continue
		}
		if notes := strings.Join(report.Notes(), "\n"); !strings.Contains(notes, want) || want == "" && strings.Contains(notes, "Left out") {
			t.Errorf("%s: want %q in\n%s", log, want, notes)
		}
	}
}

// A prompt of token ids stays as it is, though it is compared with others; it continues the one whose ids it begins with.
func TestTokenIds(t *testing.T) {
	const (
		one = `{"timestamp":"2026-03-01T09:00:0$Z","event":"request.finished","rid":"$","obj":{"text":null,"input_ids":[`
		out = `]},"out":{"meta_info":{}}}` + "\n"
	)
	ids := strings.Repeat("12345,", 20)
	log := strings.ReplaceAll(one, "$", "1") + ids + "7" + out + strings.ReplaceAll(one, "$", "2") + ids + "7,8" + out
	got, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
	if err != nil || len(got) != 2 || report.Sessions != 1 {
		t.Fatalf("%v, %+v, %+v", err, got, report)
	}
	for i, end := range []string{"7", "7,8"} {
		if want := `{"model":"sglang","prompt":[` + ids + end + `]}`; string(got[i].Body) != want {
			t.Errorf("%s, want %s", got[i].Body, want)
		}
	}
}

// A prompt that names an earlier answer has the turns before it, and what the log lacks is said.
func TestEarlier(t *testing.T) {
	const first = `{"ts":1772355600,"request":{"model":"m","instructions":"Be brief.","input":"Which row?"},"response":{"id":"r1","output":[{"type":"reasoning"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Row 7."}]}],"usage":{"output_tokens":3}}}` + "\n"
	const second = `{"ts":1772355607,"request":{"model":"m","input":[{"role":"user","content":"And?"}],"previous_response_id":"r1"},"response":` +
		`"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"r2\",\"output\":[{\"type\":\"message\",\"role\":\"assistant\",\"content\":[]}],\"usage\":{\"output_tokens\":3}}}\n\n"}` + "\n"
	const third = `{"ts":1772355609,"request":{"model":"m","input":"Why?","previous_response_id":"r2"}}` + "\n"
	got, report, err := Read([]File{{"a.log", strings.NewReader(first + second + third)}}, Options{})
	if err != nil || len(got) != 3 || report.Restored != 2 || report.Short != 0 || got[2].Session != got[0].Session {
		t.Fatalf("%v, %+v, %+v", err, got, report)
	}
	const turns = `{"content":"Which row?","role":"user"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Row 7."}]},{"role":"user","content":"And?"}`
	if want := `{"input":[` + turns + `,{"type":"message","role":"assistant","content":[]},{"content":"Why?","role":"user"}],"model":"m"}`; string(got[2].Body) != want {
		t.Errorf("%s, want %s", got[2].Body, want)
	}
	_, report, err = Read([]File{{"a.log", strings.NewReader(first + third)}}, Options{})
	if err != nil || report.Restored != 0 || report.Short != 1 || !strings.Contains(strings.Join(report.Notes(), "\n"), "which the log lacks") {
		t.Errorf("%v, %+v", err, report)
	}
}

// Of several servers' logs in one file none hides another's, be it first or last, nor a proxy's lines.
func TestServersInOneFile(t *testing.T) {
	const (
		vllm   = `INFO 03-01 09:00:00 [logger.py:43] Received request cmpl-1: prompt: 'Which row?', params: SamplingParams(max_tokens=9), prompt_token_ids: None.` + "\n"
		sglang = `[2026-03-01 09:00:01] Receive: obj=GenerateReqInput(rid='a', text='And?', input_ids=None, sampling_params={'max_new_tokens': 9})` + "\n"
		nginx  = `10.0.0.1 - - [01/Mar/2026:09:00:02 +0000] "POST /v1/chat/completions HTTP/1.1" 200 {\x22model\x22:\x22m\x22,\x22messages\x22:[{\x22role\x22:\x22user\x22,\x22content\x22:\x22Why?\x22}]}` + "\n"
		other  = "INFO:     Started server process [1]\n"
	)
	wrapped := string(loose.Marshal(loose.Object{"log": loose.Made(sglang)})) + "\n"
	for _, log := range []string{vllm + sglang + nginx, sglang + other + nginx + vllm, nginx + vllm + other + wrapped} {
		got, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err != nil || len(got) != 3 {
			t.Errorf("%d requests, %v, of\n%s%v", len(got), err, log, report)
		}
	}
}

// A line that is too long is named, and costs no other one.
func TestLongLine(t *testing.T) {
	log := io.MultiReader(strings.NewReader("x\n"), strings.NewReader(strings.Repeat("x", trace.MaxLine+1)), strings.NewReader("\n"+lineAt("1772355600", 1)+"\n"))
	got, report, err := Read([]File{{"a.log", log}}, Options{})
	if err != nil || len(got) != 1 || !strings.Contains(strings.Join(report.Notes(), "\n"), "Left out: 1, a line longer than 64 MiB; the first is a.log:2.") {
		t.Errorf("%v, %d requests, %v", err, len(got), report)
	}
}

// A duration or a length that is no such number is as one that the log lacks: it keeps no other request from being read.
func TestNumbersThatAreNone(t *testing.T) {
	const body = `"request_body":{"model":"m","messages":[{"role":"user","content":"Why?"}]}}`
	for _, member := range []string{`"request_time":"NaN"`, `"request_time":"Inf"`, `"request_time":1e12`, `"duration":1e300`, `"latency":"1e999"`, `"endTime":"2099-01-01T00:00:00Z"`, `"completion_tokens":1000000000000000`} {
		log := `{"time":1772355600,` + body + "\n" + `{"time":1772355601,` + member + `,` + body + "\n"
		got, _, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err != nil || len(got) != 2 || got[1].T != 1 || got[1].OutputTokens != timeline.DefaultOutput || got[0].OutputTokens != timeline.DefaultOutput {
			t.Errorf("%s: %v, %+v", member, err, got)
		}
	}
	for _, log := range []string{
		`[2026-03-01 09:00:01] Finish: obj=GenerateReqInput(rid='a', text='And?', input_ids=None), out={'meta_info': {'completion_tokens': 99999999999999999999, 'e2e_latency': 1e999}}`,
		`{"rid":"a","timestamp":"2026-03-01T09:00:00Z","event":"request.finished","obj":{"text":"And?"},"out":{"meta_info":{"completion_tokens":-3,"e2e_latency":"NaN"}}}`,
	} {
		got, _, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err != nil || len(got) != 1 || got[0].T != 0 || got[0].OutputTokens != timeline.DefaultOutput {
			t.Errorf("%s: %v, %+v", log, err, got)
		}
	}
}
