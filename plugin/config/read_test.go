package config

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// plain turns a value into what encoding/json makes of it, numbers as written.
func plain(v *value) any {
	switch v.kind {
	case isObject:
		all := map[string]any{}
		for i, name := range v.names {
			all[name] = plain(v.items[i])
		}
		return all
	case isArray:
		all := []any{}
		for _, item := range v.items {
			all = append(all, plain(item))
		}
		return all
	case isString:
		return v.text
	case isNumber:
		return json.Number(v.text)
	case isBoolean:
		return v.text == "true"
	}
	return nil
}

// checkRead compares read with encoding/json.
func checkRead(t *testing.T, text []byte) {
	t.Helper()
	v, err := read(text)
	if err != nil && strings.Contains(err.Error(), "nested deeper") {
		return // encoding/json allows more
	}
	if got, want := err == nil, json.Valid(text); got != want {
		t.Fatalf("%q: accepted %v, want %v (%v)", text, got, want, err)
	}
	if err != nil {
		return
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var want any
	if err := decoder.Decode(&want); err != nil {
		t.Fatal(err)
	}
	if got := plain(v); !reflect.DeepEqual(got, want) {
		t.Fatalf("%q: got %#v, want %#v", text, got, want)
	}
}

var texts = []string{
	``, ` `, `{}`, `[]`, `{"a":1}`, `{"a":1,}`, `{,}`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{a:1}`, `{"a":1 "b":2}`, `{} {}`, `{}x`,
	`0`, `-0`, `-`, `00`, `01`, `-1`, `1.`, `.1`, `1.5`, `1e5`, `1E+5`, `1e-5`, `1e`, `1e+`, `+1`, `0x1`, `1_000`, `NaN`, `Infinity`, `1e999`,
	`true`, `false`, `null`, `tru`, `truex`, `nul`, `True`, `"a`, `"`, `"\`, `"\"`, `"\x"`, `"\u12"`, `"\u12g4"`, `"\u0041"`, `"\ud83d\ude00"`,
	`"\ud83d"`, `"\ud83dx"`, `"\ud83d\u0041"`, `"\ude00"`, `"\ud83d\ud83d\ude00"`, `"\b\f\n\r\t\/\\\""`, "\"\x00\"", "\"\n\"", "\"\xff\"", `"é😀"`,
	"\ufeff{}", `[[[[]]]]`, `[{"a":[{"b":null}]}]`, `{"a":1,"a":2}`, `{"\u0061":1}`, "\v{}", `'a'`, `/**/{}`, "[1\n,\t2\r]", "{\"a\":\x00}",
}

func TestReadAgreesWithEncodingJSON(t *testing.T) {
	for _, text := range texts {
		checkRead(t, []byte(text))
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(checkRead)
}

func TestReadPositions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "line 1, column 1: a value is needed here, not the end of the text"},
		{"{\n\n  x", "line 3, column 3: a member name in double quotes is needed here, not 'x'"},
		{"[1,\n2", "line 2, column 2: ',' or ']' is needed here, not the end of the text"},
		{"{\"a\": \"b\n\"}", "line 1, column 9: a control character in a string must be escaped"},
		{`{"a": "b`, `line 1, column 9: '"' is needed here, not the end of the text`},
		{`{"a": tru}`, "line 1, column 10: true is needed here, not '}'"},
		{`{"a": -}`, "line 1, column 8: a digit is needed here, not '}'"},
		{`{} ]`, "line 1, column 4: the end of the text is needed here, not ']'"},
		{strings.Repeat("[", maxDepth+2), "line 1, column 34: nested deeper than 32 levels"},
		{strings.Repeat("[", 1<<20), "line 1, column 34: nested deeper than 32 levels"},
	} {
		_, err := read([]byte(c.text))
		if err == nil || err.Error() != c.want {
			t.Errorf("%.40q\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}
