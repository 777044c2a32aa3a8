package prompt

import (
	"strings"
	"testing"

	"warmroute/plugin/why"
)

// TestSyntax defines what is JSON here. chat has X where a value or text is put.
func TestSyntax(t *testing.T) {
	const value = `{"messages":[{"role":"user","content":"x"}],"seed":X}`
	const content = `{"messages":[{"role":"user","content":"X"}]}`
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		frame, put string
		want       string // canonical content, for texts
		why        why.Code
	}{
		{value, "0", "", ""}, {value, "-0", "", ""}, {value, "10", "", ""}, {value, "1.5", "", ""},
		{value, "1e5", "", ""}, {value, "1E+5", "", ""}, {value, "0.1e-07", "", ""}, {value, "true", "", ""},
		{value, " null ", "", ""}, {value, "\t\r\n{ }", "", ""},
		{value, "01", "", why.BrokenJSON}, {value, "1.", "", why.BrokenJSON}, {value, ".5", "", why.BrokenJSON}, {value, "+1", "", why.BrokenJSON},
		{value, "-", "", why.BrokenJSON}, {value, "1e", "", why.BrokenJSON}, {value, "1e+", "", why.BrokenJSON}, {value, "--1", "", why.BrokenJSON},
		{value, "0x1", "", why.BrokenJSON}, {value, "NaN", "", why.BrokenJSON}, {value, "Infinity", "", why.BrokenJSON}, {value, "-inf", "", why.BrokenJSON},
		{value, "True", "", why.BrokenJSON}, {value, "nul", "", why.BrokenJSON}, {value, "nulll", "", why.BrokenJSON}, {value, "", "", why.BrokenJSON},
		{value, "'a'", "", why.BrokenJSON}, {value, "[1,]", "", why.BrokenJSON}, {value, "[,1]", "", why.BrokenJSON}, {value, "{,}", "", why.BrokenJSON},
		{value, `{"a"}`, "", why.BrokenJSON}, {value, `{"a":}`, "", why.BrokenJSON}, {value, `{"a":1,}`, "", why.BrokenJSON}, {value, `{a:1}`, "", why.BrokenJSON},
		{value, "[1}", "", why.BrokenJSON}, {value, `{"a":1]`, "", why.BrokenJSON}, {value, "/**/1", "", why.BrokenJSON}, {value, "\f1", "", why.BrokenJSON},
		{value, "\u00a01", "", why.BrokenJSON}, {value, "1 2", "", why.BrokenJSON},
		{value, nested(MaxDepth - 1), "", ""}, {value, nested(MaxDepth), "", why.TooDeep},
		{value, "1}", "", why.TrailingBytes}, {value, "1} \n x", "", why.TrailingBytes},

		{content, `a\"\\\/\b\f\n\r\tz`, "a\"\\/\b\f\n\r\tz", ""},
		{content, `\u0041\u00e9\u6f22\uD83C\uDF4E`, "Aé漢🍎", ""},
		{content, `\u0000`, "\x00", ""}, {content, "\x7f", "\x7f", ""}, {content, "\u2028", "\u2028", ""},
		{content, `\ud83c`, "\ufffd", ""}, {content, `\udf4e`, "\ufffd", ""}, {content, `\ud83cx`, "\ufffdx", ""},
		{content, `\ud83c\n`, "\ufffd\n", ""}, {content, `\ud83c\u0041`, "\ufffdA", ""},
		{content, `\ud83c\ud83c\udf4e`, "\ufffd🍎", ""}, {content, `\udf4e\ud83c`, "\ufffd\ufffd", ""},
		{content, "\xff", "\ufffd", ""}, {content, "a\xc3", "a\ufffd", ""}, {content, "\xc3(", "\ufffd(", ""},
		{content, "\xe6\xbc", "\ufffd\ufffd", ""}, {content, "\xe6\xbc\\n", "\ufffd\ufffd\n", ""},
		{content, "\xf0\x9f\x8dz", "\ufffd\ufffd\ufffdz", ""}, {content, "\xed\xa0\x80", "\ufffd\ufffd\ufffd", ""},
		{content, "\xc0\x80", "\ufffd\ufffd", ""}, {content, "\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd", ""},
		{content, "\xe6漢", "\ufffd漢", ""}, {content, "\xef\xbb\xbf", "\ufeff", ""},
		{content, "\n", "", why.BrokenJSON}, {content, "\x00", "", why.BrokenJSON}, {content, "\x1f", "", why.BrokenJSON},
		{content, `\x41`, "", why.BrokenJSON}, {content, `\'`, "", why.BrokenJSON}, {content, `\u12`, "", why.BrokenJSON}, {content, `\u12G4`, "", why.BrokenJSON},
		{content, `\U0041`, "", why.BrokenJSON}, {content, `\`, "", why.BrokenJSON}, {content, "\xe6\n", "", why.BrokenJSON},
	}
	s := NewScanner(Options{})
	for _, test := range tests {
		body := strings.Replace(test.frame, "X", test.put, 1)
		for size := range byte(6) {
			p, _ := scan(t, s, Chat, "", []byte(body), size)
			if s.why != test.why {
				t.Errorf("%q in chunks of %d: %q, want %q", body, size, s.why, test.why)
			} else if test.why == "" && test.frame == content && string(p.Text) != "\xfeu\xfd"+test.want {
				t.Errorf("%q in chunks of %d: %q, want %q", body, size, p.Text, test.want)
			}
		}
	}
}

func TestMarkBeforeTheBody(t *testing.T) {
	const body = `{"prompt":"x"}`
	s := NewScanner(Options{})
	for put, want := range map[string]why.Code{
		"\xef\xbb\xbf": "", "\xef\xbb\xbf \n": "", " ": "", " \xef\xbb\xbf": why.BrokenJSON, "\xef\xbb": why.BrokenJSON,
		"\xef\xbb\xbf\xef\xbb\xbf": why.BrokenJSON, "\xfe\xff": why.BrokenJSON, "\x00": why.BrokenJSON,
	} {
		if scan(t, s, Completions, "", []byte(put+body), 1); s.why != want {
			t.Errorf("%q: %q, want %q", put+body, s.why, want)
		}
	}
}

func TestShape(t *testing.T) {
	s := NewScanner(Options{})
	for _, test := range []struct {
		format Format
		body   string
		why    why.Code
	}{
		{Chat, `[]`, why.UnknownShape}, {Chat, `"x"`, why.UnknownShape}, {Chat, `null`, why.UnknownShape}, {Chat, ``, why.BrokenJSON}, {Chat, `{}`, why.NoPrompt},
		{Chat, `{"messages":null}`, why.NoPrompt}, {Chat, `{"messages":[null]}`, why.NoPrompt}, {Chat, `{"messages":[{}]}`, ""},
		{Chat, `{"messages":{}}`, why.UnknownShape}, {Chat, `{"messages":["x"]}`, why.UnknownShape}, {Chat, `{"messages":[{"role":1}]}`, why.UnknownShape},
		{Chat, `{"messages":[{"content":{}}]}`, why.UnknownShape}, {Chat, `{"messages":[{"content":[1]}]}`, why.UnknownShape},
		{Chat, `{"messages":[{"tool_calls":{}}]}`, why.UnknownShape}, {Chat, `{"messages":[{}],"tools":{}}`, why.UnknownShape},
		{Chat, `{"messages":[{}],"model":7,"stream":"yes","user":[],"metadata":1,"stream_options":[]}`, ""},
		{Chat, `{"messages":[{"content":[{"image_url":["x"]}]}]}`, why.UnknownShape}, {Chat, `{"prompt":"x"}`, why.NoPrompt},
		{Completions, `{"prompt":""}`, ""}, {Completions, `{"prompt":[]}`, why.NoPrompt}, {Completions, `{"prompt":[[]]}`, why.NoPrompt},
		{Completions, `{"prompt":{}}`, why.UnknownShape}, {Completions, `{"prompt":1}`, why.UnknownShape}, {Completions, `{"prompt":["a",1]}`, why.UnknownShape},
		{Completions, `{"prompt":[1,"a"]}`, why.UnknownShape}, {Completions, `{"prompt":[1,[2]]}`, why.UnknownShape}, {Completions, `{"prompt":[[1],2]}`, why.UnknownShape},
		{Completions, `{"prompt":[[1],["a"]]}`, why.UnknownShape}, {Completions, `{"prompt":[null]}`, why.UnknownShape}, {Completions, `{"prompt":[true]}`, why.UnknownShape},
		{Completions, `{"prompt":[0,4294967295]}`, ""}, {Completions, `{"prompt":[4294967296]}`, why.BadToken}, {Completions, `{"prompt":[-0]}`, why.BadToken},
		{Completions, `{"prompt":[1.0]}`, why.BadToken}, {Completions, `{"prompt":[1e2]}`, why.BadToken}, {Completions, `{"prompt":[18446744073709551617]}`, why.BadToken},
		{Responses, `{"input":[{"role":"user"}]}`, ""}, {Responses, `{"input":[1]}`, why.UnknownShape}, {Responses, `{"instructions":"x"}`, why.NoPrompt},
		{Messages, `{"system":1,"messages":[{}]}`, why.UnknownShape}, {Messages, `{"system":"x","messages":[]}`, why.NoPrompt},
		{Generate, `{"text":null,"input_ids":[1]}`, ""}, {Generate, `{"text":null}`, why.NoPrompt},
		{ByLoad, `{"model":"m","input":["x"]}`, ""}, {ByLoad, `{`, why.BrokenJSON},
	} {
		if scan(t, s, test.format, "", []byte(test.body), 2); s.why != test.why {
			t.Errorf("%v %s: %q, want %q", test.format, test.body, s.why, test.why)
		}
	}
}

// TestCodePointsInLongRuns: within text that is copied by words each sequence still counts by itself.
func TestCodePointsInLongRuns(t *testing.T) {
	s := NewScanner(Options{})
	for _, put := range []string{"\xed\xa0\x80", "\xed\xbf\xbf", "\xed\x9f\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xe0\xa0\x80", "\xee\x80\x80",
		"\xef\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xc1\xbf", "\xc2\x80",
		"\xdf\xbf", "\xe1\x80", "\xe1", "\x80", "\xff", "a", "\xe1\x80\xc0", "\xe1\xc0\x80", "é", "🍎"} {
		for before := range 12 {
			content := strings.Repeat("漢", before) + put + strings.Repeat("か", 12)
			want := "\xfeu\xfd"
			for _, r := range content {
				want += string(r)
			}
			for _, size := range []byte{0, 1, 5, 30} {
				p, _ := scan(t, s, Chat, "", []byte(`{"messages":[{"role":"user","content":"`+content+`"}]}`), size)
				if string(p.Text) != want {
					t.Fatalf("%q in chunks of %d: %q, want %q", content, size, p.Text, want)
				}
			}
		}
	}
}
