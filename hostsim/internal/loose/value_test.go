package loose

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzValue holds values against encoding/json: what a text is, what an object or a list has, and how it is written.
func FuzzValue(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `"a\u00e9\ud83d\ude00\ud83dx\udc00"`, "\"\x01\"", "\"\xff\\n\"", `{"a":1,"a":[ 1 , "x" ],"\u0062":{"c":null}}`, `[]`, `[ ]`, `{ }`, `[1,]`, `{"a" : }`,
		`-0.5e+7`, `01`, `-`, `1.`, `1e`, `tru`, "\"\u2028<&>\"", `"{\"a\": [1, 2]}"`, ` [{"a":"\\\""} , true] `, `"\u12G4"`, `"\x"`, `[1 2]`, `{"a":1 "b":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v := Read(raw)
		var s string
		if got, is := v.Quoted(); is != (json.Unmarshal(raw, &s) == nil) || got != s {
			t.Errorf("the text of %q is %q, want %q", raw, got, s)
		}
		var list []json.RawMessage
		_ = json.Unmarshal(raw, &list)
		got := v.Items()
		if len(got) != len(list) || (got == nil) != (list == nil) {
			t.Fatalf("%q has %d items, want %d", raw, len(got), len(list))
		}
		for i, item := range got {
			if !bytes.Equal(item.raw, list[i]) {
				t.Errorf("item %d of %q is %s, want %s", i, raw, item.raw, list[i])
			}
		}
		if v.Begins('{') {
			var members map[string]json.RawMessage
			_ = json.Unmarshal(raw, &members)
			o := v.Object()
			if len(o) != len(members) || (o == nil) != (members == nil) {
				t.Fatalf("%q has %d members, want %d", raw, len(o), len(members))
			}
			for name, member := range members {
				if !bytes.Equal(o[name].Bytes(), member) {
					t.Errorf("member %q of %q is %s, want %s", name, raw, o[name].Bytes(), member)
				}
			}
			if want, _ := json.Marshal(members); !bytes.Equal(Marshal(o), want) {
				t.Errorf("%q is written as %s, want %s", raw, Marshal(o), want)
			}
		}
		if want, err := json.Marshal(json.RawMessage(raw)); len(raw) > 0 && err == nil && !bytes.Equal(Marshal(v), want) {
			t.Errorf("%q is written as %s, want %s", raw, Marshal(v), want)
		}
	})
}
