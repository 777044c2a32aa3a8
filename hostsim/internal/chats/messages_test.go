package chats

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/loose"
)

// Of OpenTelemetry's parts pictures and files are media, and what is neither these nor text is none of the content.
func TestPartsThatAreMedia(t *testing.T) {
	for part, want := range map[string]bool{
		`{"type":"blob","modality":"image","mime_type":"image/png","content":"AAAA"}`: true,
		`{"type":"uri","uri":"https://a.example/1.png"}`:                              true,
		`{"type":"file","file_id":"f1"}`:                                              true,
		`{"type":"input_image","image_url":"x"}`:                                      true,
		`{"type":"server_tool_call","name":"search","server_tool_call":{}}`:           false,
		`{"type":"reasoning","content":"hm"}`:                                         false,
		`{"type":"tool_call","id":"1","name":"f"}`:                                    false,
	} {
		got := Messages(loose.Read([]byte(`[{"role":"user","parts":[` + part + `,{"type":"text","content":"What is it?"}]}]`)))
		if len(got) != 1 || strings.Contains(string(got[0]["content"].Compact()), "image_url") != want {
			t.Errorf("%s: %s, want a picture: %v", part, got[0]["content"].Compact(), want)
		}
	}
}
