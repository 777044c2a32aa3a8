package render

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"warmroute/hostsim/internal/rawjson"
)

// FuzzQuickBody holds what is read quickly against encoding/json.
func FuzzQuickBody(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","messages":[{"role":"user","content":"a\u00e9"},{"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"tool","tool_call_id":"1","content":[{"type":"text","text":"x"}]}],"max_tokens":9,"stream":true,"stream_options":{"include_usage":true}}`,
		` {"prompt":[1,2,3],"n":1} `, `{"prompt":"a","prompt":"b"}`, `{"Model":"m"}`, `{"model":1}`, `{"messages":[null,{"role":1}]}`, `{"messages":[{"role":"a","role":"b"}]}`, `{"messages":null,"tools":null}`,
		`{"messages":[{"content":"a","content":"b"}],"messages":[]}`, `{"input":[{}],"instructions":"","system":[]}`, `{"m\u006fdel":"m"}`, `[]`, `{`, `[{"type":"output_text","text":"a","role":"b"},{"type":"input_image","image_url":{"url":"x"}}]`, `[{"type":"function_call_output","call_id":"a","output":"b"}]`,
	} {
		f.Add([]byte(seed))
	}
	bodies, err := filepath.Glob("../../../testdata/requests/*.json")
	if err != nil || len(bodies) == 0 {
		f.Fatalf("%d bodies, %v", len(bodies), err)
	}
	for _, name := range bodies {
		text, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if rawjson.Valid(data) {
			sameList[item](t, bytes.TrimSpace(data))
			sameList[part](t, bytes.TrimSpace(data))
		}
		got := quickBody(data)
		if got == nil {
			return
		}
		want := new(Body)
		if err := json.Unmarshal(data, want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", data, err, got, want)
		}
	})
}

func sameList[T any, P interface {
	*T
	member(string) (*string, *json.RawMessage)
}](t *testing.T, data []byte) {
	got, usual := quickList[T, P](data)
	var want []T
	if err := json.Unmarshal(data, &want); usual && (err != nil || !reflect.DeepEqual(got, want)) {
		t.Errorf("%s: %v\ngot  %+v\nwant %+v", data, err, got, want)
	}
}

// An ordinary body is read quickly: what is not is right, but slow.
func TestUsualBodiesAreQuick(t *testing.T) {
	for _, data := range []string{
		`{"model":"m","messages":[{"role":"user","content":"Why?"}],"max_tokens":9,"stream":true,"stream_options":{"include_usage":true},"temperature":0.7}`,
		`{"model":"m","prompt":"Why?"}`, `{"model":"m","input":[{"role":"user","content":"Why?"}]}`,
	} {
		if quickBody([]byte(data)) == nil {
			t.Errorf("%s is left to encoding/json", data)
		}
	}
}
