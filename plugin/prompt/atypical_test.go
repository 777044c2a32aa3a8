package prompt

import (
	"strings"
	"testing"
)

// What makes a server read less of its cache than it holds, or compute another prompt than the canonical one, is known,
// wherever it stands in the body.
func TestAtypical(t *testing.T) {
	const chat, text = `{"model":"m","messages":[{"role":"user","content":"Hello"}]`, `{"model":"m","prompt":"Hello"`
	for _, c := range []struct {
		format Format
		body   string
		want   bool
	}{
		{Chat, chat + `}`, false},
		{Chat, chat + `,"prompt_logprobs":null,"echo":false,"n":1,"best_of":null,"truncate_prompt_tokens":null}`, false},
		{Chat, chat + `,"prompt_logprobs":0}`, true},
		{Chat, `{"prompt_logprobs":5,` + chat[1:] + `}`, true},
		{Chat, chat + `,"echo":true}`, true},
		{Chat, chat + `,"n":2}`, true},
		{Chat, chat + `,"truncate_prompt_tokens":-1}`, true},
		{Chat, chat + `,"chat_template":"{{x}}"}`, true},
		{Chat, chat + `,"kv_transfer_params":{"do_remote_prefill":true}}`, true},
		{Chat, chat + `,"logprobs":true,"top_logprobs":5,"temperature":0,"seed":1,"stop":["x"]}`, false},
		{Completions, text + `,"echo":true,"logprobs":1}`, true},
		{Completions, text + `,"use_beam_search":true}`, true},
		{Completions, text + `,"prompt_embeds":"QUJD"}`, true},
		{Completions, `{"model":"m","prompt":["Hello"]}`, false},
		{Completions, `{"model":"m","prompt":["Hello","World"]}`, true},
		{Completions, `{"model":"m","prompt":[1,2,3]}`, false},
		{Completions, `{"model":"m","prompt":[[1,2,3]]}`, false},
		{Completions, `{"model":"m","prompt":[[1,2,3],[4]]}`, true},
		{Responses, `{"model":"m","input":"Hello","truncation":"disabled"}`, false},
		{Responses, `{"model":"m","input":"Hello","truncation":"auto"}`, true},
		{Responses, `{"model":"m","input":"Hello","previous_input_messages":[{"role":"user"}]}`, true},
		{Generate, `{"token_ids":[1,2],"sampling_params":{"temperature":1}}`, false},
		{Generate, `{"token_ids":[1,2],"sampling_params":{"prompt_logprobs":1}}`, true},
		{Generate, `{"token_ids":[1,2],"sampling_params":{"n":3}}`, true},
		{Generate, `{"token_ids":[1,2],"sampling_params":{"skip_reading_prefix_cache":true}}`, true},
		{Generate, `{"text":"Hello","image_data":["QUJD"]}`, true},
	} {
		s := NewScanner(Options{})
		s.Reset(c.format, nil)
		s.Write([]byte(c.body))
		if s.Close() != Ready || s.Prompt().Atypical != c.want {
			t.Errorf("%s: status %v, atypical %v; want ready, %v", c.body, s.Close(), s.Prompt().Atypical, c.want)
		}
	}
}

// What comes after the decision counts as well, and so does a key of the cache that the decision was made without.
func TestAtypicalAfterTheDecision(t *testing.T) {
	long := `{"model":"m","prompt":"` + strings.Repeat("word ", 1000) + `"`
	for _, c := range []struct {
		tail string
		want bool
	}{
		{`}`, false},
		{`,"stream":true,"user":"u"}`, false},
		{`,"truncation":"disabled"}`, false},
		{`,"truncation":"auto"}`, true},
		{`,"prompt_logprobs":1}`, true},
		{`,"n":4}`, true},
		{`,"cache_salt":"s"}`, true},
		{`,"lora_path":"a"}`, true},
		{`,"model":"another"}`, true},
	} {
		s := NewScanner(Options{HoldBytes: 1000})
		s.Reset(Completions, nil)
		if s.Write([]byte(long)) != Ready {
			t.Fatal("no decision after 1,000 bytes")
		}
		s.Write([]byte(c.tail))
		s.Close()
		if got := s.Prompt().Atypical; got != c.want {
			t.Errorf("%s: %v, want %v", c.tail, got, c.want)
		}
	}
}

// What media a server fetches from where the client says is known, however it is written and cut into chunks.
func TestMedia(t *testing.T) {
	for part, want := range map[string][2]bool{
		`{"type":"text","text":"See https://example.com"}`:                          {false, false},
		`{"type":"image_url","image_url":{"url":"data:image/png,A://b"}}`:           {true, false},
		`{"type":"input_audio","input_audio":{"data":"QUJD"}}`:                      {true, false},
		`{"type":"image_url","image_url":{"url":"https://example.com/a"}}`:          {true, true},
		`{"type":"image_url","image_url":{"url":"HTTP:\/\u002fexample.com/a"}}`:     {true, true},
		`{"type":"input_image","image_url":"http://example.com/a"}`:                 {true, true},
		`{"type":"image","source":{"type":"url","url":"https://example.com/a"}}`:    {true, true},
		`{"type":"image","source":{"type":"base64","data":"iVBORw0KGgoAAAANSUhE"}}`: {true, false},
	} {
		body := []byte(`{"model":"m","messages":[{"role":"user","content":[` + part + `]}]}`)
		for _, chunk := range []int{1, 7, len(body)} {
			s := NewScanner(Options{})
			s.Reset(Chat, nil)
			for i := 0; i < len(body); i += chunk {
				s.Write(body[i:min(i+chunk, len(body))])
			}
			if p := s.Prompt(); s.Close() != Ready || p.Media != want[0] || p.Fetched != want[1] {
				t.Errorf("%s: media %v, fetched %v, want %v", part, p.Media, p.Fetched, want)
			}
		}
	}
}

// A search by beams is over before its response begins, whatever "stream" says; of a member that comes twice the last counts. Servers
// take 1 and "on" for true.
func TestBeamsAreNoStream(t *testing.T) {
	for body, want := range map[string]bool{
		`"stream":true`:                                                true,
		`"stream":true,"use_beam_search":true`:                         false,
		`"use_beam_search":true,"stream":true`:                         false,
		`"use_beam_search":false,"stream":true`:                        true,
		`"use_beam_search":true,"stream":true,"use_beam_search":false`: true,
		`"use_beam_search":false,"stream":true,"use_beam_search":true`: false,
		`"use_beam_search":true,"stream":true,"use_beam_search":null`:  true,
		`"use_beam_search":1,"stream":true`:                            false,
		`"use_beam_search":1.0,"stream":true`:                          false,
		`"use_beam_search":"on","stream":true`:                         false,
		`"stream":false,"use_beam_search":false`:                       false,
	} {
		s := NewScanner(Options{})
		s.Reset(Completions, nil)
		s.Write([]byte(`{"prompt":"hi",` + body + `}`))
		if s.Close() != Ready || s.Prompt().Stream != want {
			t.Errorf("%s: status %v, stream %v; want ready, %v", body, s.Close(), s.Prompt().Stream, want)
		}
	}
}

// Of a prompt that its server truncates the least number that the body says is kept, however it is written; below 0 is all.
func TestKeptTokens(t *testing.T) {
	const text = `{"model":"m","prompt":"Hello"`
	for more, want := range map[string]float64{
		``:                                0,
		`,"truncate_prompt_tokens":null`:  0,
		`,"truncate_prompt_tokens":16`:    16,
		`,"truncate_prompt_tokens":16.0`:  16,
		`,"truncate_prompt_tokens":0`:     1,
		`,"truncate_prompt_tokens":1.6e1`: 1,
		`,"truncate_prompt_tokens":"16"`:  1,
		`,"truncate_prompt_tokens":-1,"truncate_prompt_tokens":null`: 1 << 64,
		`,"truncate_prompt_tokens":99999999999999999999`:             999999999999999999,
		`,"truncate_prompt_tokens":16,"truncate_prompt_tokens":-1`:   16,
	} {
		s := NewScanner(Options{})
		s.Reset(Completions, nil)
		s.Write([]byte(text + more + `}`))
		if s.Close() != Ready || s.Prompt().Keeps != want {
			t.Errorf("%s: status %v, %v tokens are kept, want %v", more, s.Close(), s.Prompt().Keeps, want)
		}
		if s.Reset(Completions, nil); s.Prompt().Keeps != 0 {
			t.Errorf("%s: the next body's %v tokens are kept", more, s.Prompt().Keeps)
		}
	}
}

// An answer has a grammar if a schema, an expression or a tool is demanded, wherever that stands.
func TestGrammar(t *testing.T) {
	const chat = `{"model":"m","messages":[{"role":"user","content":"Hello"}]`
	for _, c := range []struct {
		format Format
		body   string
		want   bool
	}{
		{Chat, chat + `}`, false},
		{Chat, chat + `,"response_format":{"type":"text"},"tool_choice":"auto","guided_json":null}`, false},
		{Chat, chat + `,"response_format":{"type":"json_object"}}`, false}, // it is always the same
		{Chat, chat + `,"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{}}}}`, true},
		{Chat, chat + `,"response_format":{"type":"structural_tag","format":{"type":"x","schema":{}}}}`, true},
		{Chat, `{"structured_outputs":{"regex":"a*"},` + chat[1:] + `}`, true},
		{Chat, chat + `,"guided_regex":"a*"}`, true},
		{Chat, chat + `,"tool_choice":"required"}`, true},
		{Chat, chat + `,"tool_choice":"required","tool_choice":"none"}`, false},
		{Chat, chat + `,"tool_choice":{"type":"function","function":{"name":"f"}}}`, true},
		{Messages, chat + `,"tool_choice":{"type":"auto"}}`, false},
		{Messages, chat + `,"tool_choice":{"type":"any"}}`, true},
		{Messages, chat + `,"output_config":{"effort":"low","format":{"type":"json_schema","schema":{}}}}`, true}, // Claude Code's names for sessions
		{Messages, chat + `,"output_config":{"effort":"low","format":null}}`, false},
		{Messages, chat + `,"output_config":{"effort":"high"}}`, false},
		{Responses, `{"model":"m","input":"Hello","text":{"format":{"type":"text"}}}`, false},
		{Responses, `{"model":"m","input":"Hello","text":{"format":{"type":"json_schema","schema":{}}}}`, true},
		{Generate, `{"token_ids":[1,2],"sampling_params":{"structured_outputs":{"json":{}}}}`, true},
		{Generate, `{"text":"Hello","sampling_params":{"ebnf":"x"}}`, true},
	} {
		s := NewScanner(Options{})
		s.Reset(c.format, nil)
		s.Write([]byte(c.body))
		if s.Close() != Ready || s.Prompt().Grammar != c.want {
			t.Errorf("%s: status %v, grammar %v; want ready, %v", c.body, s.Close(), s.Prompt().Grammar, c.want)
		}
	}
}
