package models

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// vllm is a list as vLLM writes it, with what it has besides names.
const vllm = `{"object":"list","data":[{"id":"meta-llama/Llama-3.1-8B","object":"model","created":1,"owned_by":"vllm","root":"/models/llama","parent":null,
	"max_model_len":8192,"permission":[{"id":"modelperm-1","object":"model_permission","allow_view":true}]},
	{"parent":"meta-llama/Llama-3.1-8B","id":"sql-lora","root":"/adapters/sql","permission":[{"id":"modelperm-2","parent":"x"}]}]}`

func read(text string, step int) ([]Model, bool) {
	var r Reader
	r.Reset()
	for len(text) > 0 {
		n := min(step, len(text))
		r.Write([]byte(text[:n]))
		text = text[n:]
	}
	return r.Close()
}

func TestLists(t *testing.T) {
	one := func(name string) []Model { return []Model{Of([]byte(name), false)} }
	for _, c := range []struct {
		name, text string
		want       []Model
		ok         bool
	}{
		{"vLLM", vllm, []Model{Of([]byte("meta-llama/Llama-3.1-8B"), false), Of([]byte("sql-lora"), true)}, true},
		{"escaped slash", `{"data":[{"id":"a\/b\"c"}]}`, one(`a/b"c`), true},
		{"empty", ` {"object":"list","data":[]} `, nil, true},
		{"a name elsewhere", `{"id":"x","list":[{"id":"y"}],"data":[{"meta":{"id":"z"},"id":"m"}]}`, one("m"), true},
		{"a name that is no string", `{"data":[{"id":7},{"id":"m"}]}`, one("m"), true},
		{"a long name", `{"data":[{"id":"` + strings.Repeat("x", 300) + `"},{"id":"m"}]}`, one("m"), true},
		{"no list", `{"error":"not found"}`, nil, false},
		{"no object", `[{"id":"m"}]`, nil, false},
		{"cut off", vllm[:len(vllm)-1], nil, false},
		{"more behind it", `{"data":[]}{}`, nil, false},
		{"brackets", `{"data":[}]`, nil, false},
		{"too deep", `{"data":` + strings.Repeat("[", 80) + strings.Repeat("]", 80) + `}`, nil, false},
		{"nothing", "", nil, false},
		{"more than are kept, and no end", `{"data":[` + strings.Repeat(`{"id":"m"},`, 2*Max), slices.Repeat(one("m"), Max), true},
	} {
		for _, step := range []int{1, 7, 1 << 20} {
			got, ok := read(c.text, step)
			if ok != c.ok || ok && !slices.Equal(got, c.want) {
				t.Errorf("%s, in pieces of %d: %v, %v; want %v, %v", c.name, step, got, ok, c.want, c.ok)
			}
		}
	}
	many := `{"data":[{"id":"0"}`
	for i := range 999 {
		many += fmt.Sprintf(`,{"id":"%d"}`, i+1)
	}
	if got, ok := read(many+"]}", 4096); !ok || len(got) != Max {
		t.Errorf("of 1,000 models %d are kept, want %d", len(got), Max)
	}
	if m := Of([]byte("m"), true); !m.IsAdapter() || m.Key() != Of([]byte("m"), false).Key() || Of([]byte("m"), false).IsAdapter() {
		t.Error("the key of an adapter is not that of its name")
	}
}

// What the reader finds in any list of that form is what encoding/json finds.
func FuzzModels(f *testing.F) {
	f.Add(vllm, 3)
	f.Add(`{"data":[{"id":"a","parent":"b"},{"id":""}]}`, 1)
	f.Fuzz(func(t *testing.T, text string, step int) {
		got, ok := read(text, max(step, 1))
		again, ok2 := read(text, len(text)+1)
		if ok != ok2 || !slices.Equal(got, again) {
			t.Fatalf("in pieces %v, %v; in one %v, %v", got, ok, again, ok2)
		}
		var page struct {
			Data []struct{ ID, Parent string }
		}
		if !ok || json.Unmarshal([]byte(text), &page) != nil || strings.Contains(text, `\`) || len(page.Data) > Max || strings.Count(strings.ToLower(text), "data") != 1 ||
			strings.Count(strings.ToLower(text), `"id"`) != len(page.Data) || strings.Count(strings.ToLower(text), `"parent"`) > len(page.Data) || strings.ContainsAny(text, "ID") {
			return // members twice or nested, on which readers may differ
		}
		var want []Model
		for _, m := range page.Data {
			if len(m.ID) > maxName || strings.ContainsRune(m.ID, 0xFFFD) {
				return
			}
			if m.ID != "" {
				want = append(want, Of([]byte(m.ID), m.Parent != ""))
			}
		}
		if len(want) == len(page.Data) && !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
