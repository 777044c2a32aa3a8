package layout

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

// shown are the values of a text, one a line with its line's number, and what is broken in <>.
func shown(text string) string {
	var out []string
	for v := NewValues([]byte(text)); ; {
		value, whole := v.Next()
		if value == nil {
			return strings.Join(out, " ")
		}
		one := strings.Join(strings.Fields(string(value)), "")
		if !whole {
			one = "<" + one + ">"
		}
		out = append(out, fmt.Sprint(v.Line(), one))
	}
}

func TestValues(t *testing.T) {
	const a, b = `{"a":1}`, `{"a":2}`
	indented := func(n string) string { return "{\n \"a\": [\n  {\n   \"b\": " + n + "\n  }\n ]\n}" }
	for text, want := range map[string]string{
		"": "", " \n": "", "\ufeff" + a: "1" + a,
		a + b: "1" + a + " 1" + b, a + " , " + b + ",": "1" + a + " 1" + b, a + "\n" + b: "1" + a + " 2" + b,
		"[" + a + "," + b + "]": "1" + a + " 1" + b, "[\n" + a + ",\n" + b + "\n]\n[1]": "2" + a + " 3" + b + " 51", "[[1],2]": "1[1] 12",
		a + " # x": "1" + a + " 1<#x>", a + " # x\n" + b: "1" + a + " 1<#x> 2" + b, a + "}" + b + "]": "1" + a + " 1" + b,
		// what is broken, in a line
		`{"a":"cut` + a + b: `1<{"a":"cut> 1` + a + " 1" + b,
		`{"a":"\"cut\` + a:  `1<{"a":"\"cut\> 1` + a,
		`{"a":[` + a + b:    `1<{"a":[> 1` + a + " 1" + b,
		"[" + `{"a":{"b":"x"},"c":"cut,` + a + "," + b + "]": `1<{"a":{"b":"x"},"c":"cut,> 1` + a + " 1" + b,
		`{"a":{"a":"cut`:        `1<{"a":{"a":"cut>`,
		`x":1}` + a + `{"b":1}`: `1<x":1}> 1` + a + ` 1{"b":1}`,
		// and over several lines
		indented("1") + "\n" + indented("2")[:18] + "\n" + indented("3"):                       `1{"a":[{"b":1}]} 8<{"a":[{"> 12{"a":[{"b":3}]}`,
		indented("1")[:8] + "\n" + indented("2") + "\n" + indented("3"):                        `1<{"a":> 3{"a":[{"b":2}]} 10{"a":[{"b":3}]}`,
		indented("1")[:10] + "\n" + indented("2") + "\n":                                       `1<{"a":[> 4{"a":[{"b":2}]}`,
		"[\n  {\n    \"a\": 1,\n  },\n  {\n    \"b\": {\n      \"a\": 1\n    }\n  }\n]":        `2<{"a":1,},> 5{"b":{"a":1}}`,
		"[{\n \"a\": x\n}, {\n \"a\": 2\n}]":                                                   `1<{"a":x},> 3{"a":2}`,
		"[{\"r\":1},{\"r\":x\n[{\"r\":3}]":                                                     `1{"r":1} 1<{"r":x> 2{"r":3}`,
		"{\n\"a\": [\n{\n\"b\": x\n}\n]\n}\n" + strings.ReplaceAll(indented("2"), "\n ", "\n"): `1<{"a":[> 3<{"b":x}]}> 8{"a":[{"b":2}]}`,
	} {
		if got := shown(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestRest(t *testing.T) {
	for text, want := range map[string]string{
		`[1, 2,3]4`: `"2" "3" true`, `[1]`: "true", `[1,2`: `"2" false`, `[1,x,{"a":3}]`: `"{\"a\":3}" false`, "1 2": "false",
	} {
		v := NewValues([]byte(text))
		v.Next()
		rest, whole := v.Rest()
		if got := strings.TrimPrefix(strings.Trim(fmt.Sprintf("%q", rest), "[]")+fmt.Sprint(" ", whole), " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// Whatever a text is, it is read in a time that is as its length.
func TestValuesTakeNoLonger(t *testing.T) {
	for _, part := range []string{`{"a":1,"b":[` + "\n", `{"a":`, "{", "[", `{"a":"`, "x{\n", `{"a":1}` + "\n", "1 ", "[\n{\"a\":\n"} {
		began, n := time.Now(), 0
		for v := NewValues([]byte(strings.Repeat(part, 8<<20/len(part)))); !v.Ended() && time.Since(began) < 20*time.Second; n++ {
			v.Next()
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%q again and again: %v for %d values", part, took, n)
		}
	}
}

// FuzzValues holds what is called whole against encoding/json. Values stand in the text in their order.
func FuzzValues(f *testing.F) {
	for _, seed := range []string{`{"a":1}{"a":2}`, `[{"a":"cut{"a":1},{"b":[]}]`, "{\n \"a\": [\n{\n \"a\":1}\n", `x":1}, {"a":1} # x`, "[1,[2]]\n[3"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		rest := string(text)
		for v := NewValues(text); ; {
			value, whole := v.Next()
			if value == nil {
				break
			}
			at := strings.Index(rest, string(value))
			if at < 0 || len(value) == 0 || whole && !json.Valid(value) {
				t.Fatalf("%q (%v) of %q", value, whole, text)
			}
			rest = rest[at+len(value):]
		}
	})
}
