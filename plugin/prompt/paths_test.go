package prompt

import (
	"regexp"
	"strings"
	"testing"
)

func TestBuiltInPaths(t *testing.T) {
	p, err := NewPaths(nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]Format{
		"/v1/chat/completions": Chat, "/v1/chat/completions?api-version=1#x": Chat, "/v1/chat/completions/": Chat, "/v1/completions": Completions,
		"/v1/responses": Responses, "/v1/messages": Messages, "/v1/messages/count_tokens": ByLoad, "/v1/decisions": ByLoad, "/inference/v1/generate": Generate,
		"/generate": Generate, "/v1/embeddings": ByLoad, "/rerank": ByLoad, "/v1/score": ByLoad, "/classify": ByLoad, "/tokenize": ByLoad,
		"": None, "/": None, "//": None, "/v1": None, "/v1/chat/completionsx": None, "/V1/chat/completions": None, "/x/v1/chat/completions": None,
		"/v1/chat/completion%73": Chat, "/v1/%63hat/%43ompletions": None, "/%76%31/chat/completions?x=%zz": Chat, "/v1%2Fchat/completions": Chat, "/v1/chat/completions%3Fx": None, "/v1/chat/completions%": None, "/v1/chat/completions%3": None, "/v1/chat/completions%zz": None,
		"/v1/responses/resp_1/cancel": None, "?": None, "*": None, "/v1/models": None,
	} {
		if got, ptr := p.Match(path); got != want || ptr != nil {
			t.Errorf("Match(%q) = %v, want %v", path, got, want)
		}
	}
}

func TestConfiguredPaths(t *testing.T) {
	p, err := NewPaths([]Rule{
		{Path: "/openai/deployments/{model}/chat/completions", Format: "chat"},
		{Path: "/v2/models/{model}/versions/{version}/infer", Format: "pointer", Pointer: "/inputs/0/data"},
		{Path: "/v1beta/{model}:generate", Format: "pointer", Pointer: "/contents"},
		{Path: "/a{x}b{y}c", Format: "messages"},
		{Path: "/gateway/{team}/**"},
		{Path: "/v1/embeddings", Format: "completions"},
	})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path   string
		format Format
		model  string
	}{
		{"/openai/deployments/oak%2F8b/chat/completions?api-version=2", Chat, "oak%2F8b"},
		{"/openai/deployments//chat/completions", None, ""},
		{"/openai/deployments/a/b/chat/completions", None, ""},
		{"/v2/models/oak/versions/3/infer", Pointer, "oak"},
		{"/v1beta/oak:8b:generate", Pointer, "oak:8b"},
		{"/v1beta/:generate", None, ""},
		{"/a1b2c", Messages, ""},
		{"/abbbcc", Messages, ""},
		{"/abc", None, ""},
		{"/a/b/c", None, ""},
		{"/gateway/blue/v1/responses", Responses, ""},
		{"/gateway/blue/green/v1/responses", None, ""},
		{"/gateway/blue", None, ""},
		{"/v1/embeddings", Completions, ""},
		{"/v1/messages", Messages, ""},
	}
	for _, test := range tests {
		m := p.Find(test.path)
		if m.Format != test.format || m.Model != test.model || (m.Pointer != nil) != (test.format == Pointer) {
			t.Errorf("Find(%q) = %+v, want %v and model %q", test.path, m, test.format, test.model)
		}
	}
	if n := testing.AllocsPerRun(10, func() { p.Match("/v2/models/oak/versions/3/infer?x=1") }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestRulesThatAreRefused(t *testing.T) {
	good := Rule{Path: "/x", Format: "chat"}
	for _, test := range []struct {
		rule  Rule
		field string
	}{
		{Rule{Path: "", Format: "chat"}, "path"}, {Rule{Path: "x", Format: "chat"}, "path"}, {Rule{Path: "/x?y", Format: "chat"}, "path"},
		{Rule{Path: "/{", Format: "chat"}, "path"}, {Rule{Path: "/{}", Format: "chat"}, "path"}, {Rule{Path: "/{a}{b}", Format: "chat"}, "path"},
		{Rule{Path: "/a}", Format: "chat"}, "path"}, {Rule{Path: "/{a/b}", Format: "chat"}, "path"}, {Rule{Path: "/{a{b}}", Format: "chat"}, "path"},
		{Rule{Path: "/x"}, "format"}, {Rule{Path: "/x", Format: "Chat"}, "format"}, {Rule{Path: "/x", Format: "none"}, "format"},
		{Rule{Path: "/x", Format: "usage"}, "format"}, {Rule{Path: "/x/**", Format: "chat"}, "format"},
		{Rule{Path: "/x", Format: "pointer", Pointer: "a"}, "pointer"}, {Rule{Path: "/x", Format: "pointer", Pointer: "/~2"}, "pointer"},
		{Rule{Path: "/x", Format: "pointer", Pointer: "/~"}, "pointer"}, {Rule{Path: "/x", Format: "pointer", Pointer: strings.Repeat("/a", 64)}, "pointer"},
		{Rule{Path: "/x", Format: "pointer", Pointer: "/" + strings.Repeat("a", 257)}, "pointer"}, {Rule{Path: "/x", Format: "chat", Pointer: "/a"}, "pointer"},
		{Rule{Path: "/x", Format: "pointer"}, "pointer"},
	} {
		_, err := NewPaths([]Rule{good, test.rule})
		if want := "paths[1]." + test.field + ": "; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: %v, want an error that begins with %q", test.rule, err, want)
		}
	}
	if _, err := NewPaths([]Rule{{Path: "/**"}, {Path: "/x", Format: "pointer", Pointer: "/"}}); err != nil {
		t.Error(err)
	}
}

// FuzzPaths: a pattern matches as the regular expression of the same meaning does.
func FuzzPaths(f *testing.F) {
	f.Add("/openai/{model}/chat", "/openai/oak/chat?x=1")
	f.Add("/a{x}b{y}c/{model}", "/abbbcc/m/")
	f.Add("/{a}:b/{c}.d", "/x:b/y.d")
	f.Add("/v1/chat/completions", "/v1/chat/completions")
	f.Add("/{x}/**", "/p/v1/messages")
	names := regexp.MustCompile(`\{[^{}/]+\}`)
	f.Fuzz(func(t *testing.T, pattern, path string) {
		if strings.HasSuffix(pattern, "/**") {
			if p, err := NewPaths([]Rule{{Path: pattern}}); err == nil {
				p.Find(path)
			}
			return
		}
		p, err := NewPaths([]Rule{{Path: pattern, Format: "generate"}})
		if err != nil {
			return
		}
		expression := "^"
		rest := pattern
		for rest != "" {
			at := names.FindStringIndex(rest)
			if at == nil {
				break
			}
			expression += regexp.QuoteMeta(rest[:at[0]]) + `[^/]+`
			rest = rest[at[1]:]
		}
		match, err := regexp.Compile(expression + regexp.QuoteMeta(rest) + "$")
		if err != nil {
			return
		}
		clean, _, _ := strings.Cut(path, "?")
		clean, _, _ = strings.Cut(clean, "#")
		if len(clean) > 1 {
			clean = strings.TrimSuffix(clean, "/")
		}
		want := match.MatchString(clean)
		_, _, got := matchPattern(pattern, clean, false)
		if got != want {
			t.Fatalf("%q matches %q: %v, want %v", pattern, clean, got, want)
		}
		if m := p.Find(path); want && (m.Format != Generate || !strings.Contains(clean, m.Model)) {
			t.Fatalf("Find(%q) = %+v", path, m)
		}
	})
}
