package rawjson

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// FuzzText holds the functions against encoding/json.
func FuzzText(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `true`, `tru`, `"a\u00e9\ud83d\ude00\ud83dx\udc00\ud83d\u00e9"`, "\"\x01\"", "\"\\n\x01\\n\"", "\"\xff\\n\"", `{"a":1,"a":[ 1 , "x" ],"\u0062":{"c":null}}`, `[]`, `[ ]`, `{ }`,
		`[1,]`, `{"a" : }`, `{"a":1 "b":2}`, `[1 2]`, `[{"a":"\\\""} , true]`, `"\u12G4"`, `"\x"`, `"a\"`, `"a\`, `"a`, `-0.5e+7`, `01`, `-`, `1.`, `1e`, `-1E5`, "\"\u2028<&>\u2027\xe2\"", "\ufeff{}", " [ 1 ]\n",
		strings.Repeat("[", mostDepth) + strings.Repeat("]", mostDepth), strings.Repeat("[", mostDepth+1) + strings.Repeat("]", mostDepth+1),
		strings.Repeat(`{"a":`, mostDepth+1) + "1" + strings.Repeat("}", mostDepth+1),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if got, want := Valid(text), json.Valid(text); got != want {
			t.Fatalf("Valid(%q) = %v, want %v", text, got, want)
		} else if !want {
			return
		}
		text = bytes.TrimSpace(text)
		var b bytes.Buffer
		if _ = json.Compact(&b, text); !bytes.Equal(Compact(nil, text, false), b.Bytes()) {
			t.Errorf("%q is %q without space, want %q", text, Compact(nil, text, false), b.Bytes())
		}
		if want, _ := json.Marshal(json.RawMessage(text)); !bytes.Equal(Compact(nil, text, true), want) {
			t.Errorf("%q is written as %q, want %q", text, Compact(nil, text, true), want)
		}
		switch text[0] {
		case '"':
			var want string
			if _ = json.Unmarshal(text, &want); string(Text(text)) != want {
				t.Errorf("the text of %q is %q, want %q", text, Text(text), want)
			}
		case '[':
			var want, got []json.RawMessage
			_ = json.Unmarshal(text, &want)
			Each(text, func(_, part []byte) { got = append(got, part) })
			if len(got) != len(want) {
				t.Fatalf("%q has %d parts, want %d", text, len(got), len(want))
			}
			for i := range got {
				if !bytes.Equal(got[i], want[i]) {
					t.Errorf("part %d of %q is %q, want %q", i, text, got[i], want[i])
				}
			}
		case '{':
			var want map[string]json.RawMessage
			_ = json.Unmarshal(text, &want)
			got := map[string]json.RawMessage{}
			Each(text, func(name, part []byte) { got[string(Text(name))] = part })
			if len(got) != len(want) {
				t.Fatalf("%q has %d members, want %d", text, len(got), len(want))
			}
			for name, part := range want {
				if !bytes.Equal(got[name], part) {
					t.Errorf("member %q of %q is %q, want %q", name, text, got[name], part)
				}
			}
		}
	})
}

// The end of what is no value is the place of the first byte that no value has there.
func TestEnd(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, `{"a":1} x`: 7, `{"a":1 x`: 7, `{"a":[1,{"b" x`: 13, `{"a":tru}`: 5, `{"a":"x` + "\n": 7, `{"a":"\x`: 7, `["\u00x`: 6, `{"a"`: 4, "[1,]": 3, "[1": 2, "[1e+]": 4, "{x": 1, "tru": 0,
	} {
		end, ok := End([]byte(text), 0)
		if end != want || ok != (text == `{"a":1} x`) {
			t.Errorf("%q ends at %d, %v; want %d", text, end, ok, want)
		}
	}
}
