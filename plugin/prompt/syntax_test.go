package prompt

import (
	"strings"
	"testing"
)

// TestSyntax defines what is JSON here. chat has X where a value or text is put.
func TestSyntax(t *testing.T) {
	const value = `{"messages":[{"role":"user","content":"x"}],"seed":X}`
	const content = `{"messages":[{"role":"user","content":"X"}]}`
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		frame, put string
		want       string // canonical content, for texts
		why        Reason
	}{
		{value, "0", "", NoReason}, {value, "-0", "", NoReason}, {value, "10", "", NoReason}, {value, "1.5", "", NoReason},
		{value, "1e5", "", NoReason}, {value, "1E+5", "", NoReason}, {value, "0.1e-07", "", NoReason}, {value, "true", "", NoReason},
		{value, " null ", "", NoReason}, {value, "\t\r\n{ }", "", NoReason},
		{value, "01", "", BrokenJSON}, {value, "1.", "", BrokenJSON}, {value, ".5", "", BrokenJSON}, {value, "+1", "", BrokenJSON},
		{value, "-", "", BrokenJSON}, {value, "1e", "", BrokenJSON}, {value, "1e+", "", BrokenJSON}, {value, "--1", "", BrokenJSON},
		{value, "0x1", "", BrokenJSON}, {value, "NaN", "", BrokenJSON}, {value, "Infinity", "", BrokenJSON}, {value, "-inf", "", BrokenJSON},
		{value, "True", "", BrokenJSON}, {value, "nul", "", BrokenJSON}, {value, "nulll", "", BrokenJSON}, {value, "", "", BrokenJSON},
		{value, "'a'", "", BrokenJSON}, {value, "[1,]", "", BrokenJSON}, {value, "[,1]", "", BrokenJSON}, {value, "{,}", "", BrokenJSON},
		{value, `{"a"}`, "", BrokenJSON}, {value, `{"a":}`, "", BrokenJSON}, {value, `{"a":1,}`, "", BrokenJSON}, {value, `{a:1}`, "", BrokenJSON},
		{value, "[1}", "", BrokenJSON}, {value, `{"a":1]`, "", BrokenJSON}, {value, "/**/1", "", BrokenJSON}, {value, "\f1", "", BrokenJSON},
		{value, "\u00a01", "", BrokenJSON}, {value, "1 2", "", BrokenJSON},
		{value, nested(MaxDepth - 1), "", NoReason}, {value, nested(MaxDepth), "", TooDeep},
		{value, "1}", "", TrailingBytes}, {value, "1} \n x", "", TrailingBytes},

		{content, `a\"\\\/\b\f\n\r\tz`, "a\"\\/\b\f\n\r\tz", NoReason},
		{content, `\u0041\u00e9\u6f22\uD83C\uDF4E`, "Aé漢🍎", NoReason},
		{content, `\u0000`, "\x00", NoReason}, {content, "\x7f", "\x7f", NoReason}, {content, "\u2028", "\u2028", NoReason},
		{content, `\ud83c`, "\ufffd", NoReason}, {content, `\udf4e`, "\ufffd", NoReason}, {content, `\ud83cx`, "\ufffdx", NoReason},
		{content, `\ud83c\n`, "\ufffd\n", NoReason}, {content, `\ud83c\u0041`, "\ufffdA", NoReason},
		{content, `\ud83c\ud83c\udf4e`, "\ufffd🍎", NoReason}, {content, `\udf4e\ud83c`, "\ufffd\ufffd", NoReason},
		{content, "\xff", "\ufffd", NoReason}, {content, "a\xc3", "a\ufffd", NoReason}, {content, "\xc3(", "\ufffd(", NoReason},
		{content, "\xe6\xbc", "\ufffd\ufffd", NoReason}, {content, "\xe6\xbc\\n", "\ufffd\ufffd\n", NoReason},
		{content, "\xf0\x9f\x8dz", "\ufffd\ufffd\ufffdz", NoReason}, {content, "\xed\xa0\x80", "\ufffd\ufffd\ufffd", NoReason},
		{content, "\xc0\x80", "\ufffd\ufffd", NoReason}, {content, "\xf4\x90\x80\x80", "\ufffd\ufffd\ufffd\ufffd", NoReason},
		{content, "\xe6漢", "\ufffd漢", NoReason}, {content, "\xef\xbb\xbf", "\ufeff", NoReason},
		{content, "\n", "", BrokenJSON}, {content, "\x00", "", BrokenJSON}, {content, "\x1f", "", BrokenJSON},
		{content, `\x41`, "", BrokenJSON}, {content, `\'`, "", BrokenJSON}, {content, `\u12`, "", BrokenJSON}, {content, `\u12G4`, "", BrokenJSON},
		{content, `\U0041`, "", BrokenJSON}, {content, `\`, "", BrokenJSON}, {content, "\xe6\n", "", BrokenJSON},
	}
	s := NewScanner(Options{})
	for _, test := range tests {
		body := strings.Replace(test.frame, "X", test.put, 1)
		for size := range byte(6) {
			p, _ := scan(t, s, Chat, "", []byte(body), size)
			if s.why != test.why {
				t.Errorf("%q in chunks of %d: %q, want %q", body, size, s.why, test.why)
			} else if test.why == NoReason && test.frame == content && string(p.Text) != "\xfeu\xfd"+test.want {
				t.Errorf("%q in chunks of %d: %q, want %q", body, size, p.Text, test.want)
			}
		}
	}
}

func TestMarkBeforeTheBody(t *testing.T) {
	const body = `{"prompt":"x"}`
	s := NewScanner(Options{})
	for put, want := range map[string]Reason{
		"\xef\xbb\xbf": NoReason, "\xef\xbb\xbf \n": NoReason, " ": NoReason, " \xef\xbb\xbf": BrokenJSON, "\xef\xbb": BrokenJSON,
		"\xef\xbb\xbf\xef\xbb\xbf": BrokenJSON, "\xfe\xff": BrokenJSON, "\x00": BrokenJSON,
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
		why    Reason
	}{
		{Chat, `[]`, UnknownShape}, {Chat, `"x"`, UnknownShape}, {Chat, `null`, UnknownShape}, {Chat, ``, BrokenJSON}, {Chat, `{}`, NoPrompt},
		{Chat, `{"messages":null}`, NoPrompt}, {Chat, `{"messages":[null]}`, NoPrompt}, {Chat, `{"messages":[{}]}`, NoReason},
		{Chat, `{"messages":{}}`, UnknownShape}, {Chat, `{"messages":["x"]}`, UnknownShape}, {Chat, `{"messages":[{"role":1}]}`, UnknownShape},
		{Chat, `{"messages":[{"content":{}}]}`, UnknownShape}, {Chat, `{"messages":[{"content":[1]}]}`, UnknownShape},
		{Chat, `{"messages":[{"tool_calls":{}}]}`, UnknownShape}, {Chat, `{"messages":[{}],"tools":{}}`, UnknownShape},
		{Chat, `{"messages":[{}],"model":7,"stream":"yes","user":[],"metadata":1,"stream_options":[]}`, NoReason},
		{Chat, `{"messages":[{"content":[{"image_url":["x"]}]}]}`, UnknownShape}, {Chat, `{"prompt":"x"}`, NoPrompt},
		{Completions, `{"prompt":""}`, NoReason}, {Completions, `{"prompt":[]}`, NoPrompt}, {Completions, `{"prompt":[[]]}`, NoPrompt},
		{Completions, `{"prompt":{}}`, UnknownShape}, {Completions, `{"prompt":1}`, UnknownShape}, {Completions, `{"prompt":["a",1]}`, UnknownShape},
		{Completions, `{"prompt":[1,"a"]}`, UnknownShape}, {Completions, `{"prompt":[1,[2]]}`, UnknownShape}, {Completions, `{"prompt":[[1],2]}`, UnknownShape},
		{Completions, `{"prompt":[[1],["a"]]}`, UnknownShape}, {Completions, `{"prompt":[null]}`, UnknownShape}, {Completions, `{"prompt":[true]}`, UnknownShape},
		{Completions, `{"prompt":[0,4294967295]}`, NoReason}, {Completions, `{"prompt":[4294967296]}`, BadToken}, {Completions, `{"prompt":[-0]}`, BadToken},
		{Completions, `{"prompt":[1.0]}`, BadToken}, {Completions, `{"prompt":[1e2]}`, BadToken}, {Completions, `{"prompt":[18446744073709551617]}`, BadToken},
		{Responses, `{"input":[{"role":"user"}]}`, NoReason}, {Responses, `{"input":[1]}`, UnknownShape}, {Responses, `{"instructions":"x"}`, NoPrompt},
		{Messages, `{"system":1,"messages":[{}]}`, UnknownShape}, {Messages, `{"system":"x","messages":[]}`, NoPrompt},
		{Generate, `{"text":null,"input_ids":[1]}`, NoReason}, {Generate, `{"text":null}`, NoPrompt},
		{ByLoad, `{"model":"m","input":["x"]}`, NoReason}, {ByLoad, `{`, BrokenJSON},
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
