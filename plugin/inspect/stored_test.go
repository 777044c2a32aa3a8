package inspect

import (
	"testing"

	"warmroute/plugin/config"
)

func TestStored(t *testing.T) {
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80"],"paths":[{"path":"/llm/**"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/v1/responses/resp_1": "resp_1", "/v1/responses/resp_1/cancel": "resp_1", "/v1/responses/resp_1?stream=true": "resp_1",
		"/llm/v1/responses/resp_1/input_items": "resp_1", "/v1/responses": "", "/v1/responses/": "", "/responses/resp_1": "", "/v1/chat/completions": "", "": "",
	} {
		if got := in.Stored(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}
