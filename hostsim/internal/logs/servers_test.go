package logs

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/loose"
)

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

// vLLM's log at DEBUG has each request as a prompt and as the body that came: it counts once. A log of bodies alone has those.
func TestVLLMLogsTwice(t *testing.T) {
	const (
		body = `(APIServer pid=7) DEBUG 03-01 09:00:0$ [entrypoints/serve/utils/request_logger.py:75] Request a$ JSON body: {"messages":[{"role":"user","content":"Row $?"}],"model":"m","max_tokens":9}` + "\n"
		rest = `(APIServer pid=7) DEBUG 03-01 09:00:0$ [entrypoints/serve/utils/request_logger.py:55] Request chatcmpl-a$ details: prompt: 'Row $?', prompt_token_ids: [1, 2, $], prompt_embeds shape: None.` + "\n" +
			`(APIServer pid=7) INFO 03-01 09:00:0$ [entrypoints/serve/utils/request_logger.py:65] Received request chatcmpl-a$: params: SamplingParams(n=1, max_tokens=9), lora_request: None.` + "\n" +
			`(APIServer pid=7) DEBUG 03-01 09:00:0$ [entrypoints/serve/utils/request_logger.py:95] Generated response chatcmpl-a$ details: output_token_ids: [4, 5]` + "\n" +
			`(APIServer pid=7) INFO 03-01 09:00:0$ [entrypoints/serve/utils/request_logger.py:100] Generated response chatcmpl-a$: output: 'Row 7 is.', finish_reason: stop` + "\n"
	)
	number := func(s string) string { return strings.ReplaceAll(s, "$", "1") + strings.ReplaceAll(s, "$", "8") }
	for log, want := range map[string]struct{ path, note string }{
		number(body + rest): {"/v1/completions", "Left out: 2, a request that vLLM logs once more, as it came; the first is a.log:1."},
		number(body):        {"/v1/chat/completions", "over 7 s"},
		strings.NewReplacer(`"`, `\"`, "\n", `\n","stream":"stderr"}`+"\n", "(API", `{"log":"(API`).Replace(number(body)): {"/v1/chat/completions", "over 7 s"},
	} {
		got, report, err := Read([]File{{"a.log", strings.NewReader(log)}}, Options{})
		if err != nil || len(got) != 2 || got[1].T != 7 || got[0].Path != want.path || !strings.Contains(strings.Join(report.Notes(), "\n"), want.note) {
			t.Errorf("%v, %+v, %v\n%s", err, got, report, log)
		}
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
