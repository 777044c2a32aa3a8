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

func TestMedia(t *testing.T) {
	for part, want := range map[string]bool{
		`{"type":"text","text":"A"}`:                                  false,
		`{"type":"image_url","image_url":{"url":"data:image/png,A"}}`: true,
		`{"type":"input_audio","input_audio":{"data":"QUJD"}}`:        true,
	} {
		s := NewScanner(Options{})
		s.Reset(Chat, nil)
		s.Write([]byte(`{"model":"m","messages":[{"role":"user","content":[` + part + `]}]}`))
		if s.Close() != Ready || s.Prompt().Media != want {
			t.Errorf("%s: media %v, want %v", part, s.Prompt().Media, want)
		}
	}
}
