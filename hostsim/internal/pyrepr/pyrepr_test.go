package pyrepr

import (
	"maps"
	"testing"
)

func TestPythonString(t *testing.T) {
	for s, want := range map[string]string{
		`'a\nb', x`: "a\nb", `"it's", x`: "it's", `'it\'s \\ \x41\u00e9\U0001f34e'`: "it's \\ A\u00e9\U0001f34e", `''`: "",
	} {
		if got, _, ok := String(s); !ok || got != want {
			t.Errorf("%s is %q, %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "None", `'cut`, `'\x4`, `'\U99999999'`} {
		if got, _, ok := String(s); ok {
			t.Errorf("%q is taken for %q", s, got)
		}
	}
}

func TestPythonJSON(t *testing.T) {
	for s, want := range map[string]string{
		`{'a': [1, True, None], "b": 'it\'s "x"'} rest`: `{"a": [1, true, null], "b": "it's \"x\""}`,
		`{'a'`: "", `[Nothing]`: "", `]`: "", `{'a': b}`: "", ``: "",
	} {
		if got := string(JSON(s)); got != want {
			t.Errorf("%s is %s, want %s", s, got, want)
		}
	}
}

func TestPythonCall(t *testing.T) {
	arguments, rest, ok := Call(`rid='a, (b', ids=[1, (2, 3)], p={'n': 1}), out={}`)
	want := map[string]string{"rid": "'a, (b'", "ids": "[1, (2, 3)]", "p": "{'n': 1}"}
	if !ok || rest != ", out={}" || !maps.Equal(arguments, want) {
		t.Errorf("%v, %q, %v; want %v", arguments, rest, ok, want)
	}
	for _, s := range []string{"", "a=1", "a='cut", "a=(1)", "a='it' ... 'is"} {
		if _, _, ok := Call(s); ok {
			t.Errorf("%q is taken for a call", s)
		}
	}
}
