package setup

import (
	"encoding/json"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"warmroute/plugin/config"
)

// Each form holds a configuration that the module takes.
func TestForms(t *testing.T) {
	s := Settings{Policy: "cache_aware", Shadow: "join_shortest_queue", More: map[string]any{"cache_aware": map[string]any{"affinity": 2}}, Service: "llm.prod.svc.cluster.local:8080"}
	for form, at := range map[string]func(t *testing.T, text string) []byte{
		"json": func(_ *testing.T, text string) []byte { return []byte(text) },
		"wasmplugin": func(t *testing.T, text string) []byte {
			var v struct {
				Kind string
				Spec struct{ PluginConfig json.RawMessage }
			}
			if err := yaml.Unmarshal([]byte(text), &v); err != nil || v.Kind != "WasmPlugin" {
				t.Fatalf("%v: %+v", err, v)
			}
			return v.Spec.PluginConfig
		},
		"envoy": func(t *testing.T, text string) []byte {
			var v []struct {
				Typed struct {
					Config struct {
						Configuration struct{ Value string }
					}
				} `json:"typed_config"`
			}
			if err := yaml.Unmarshal([]byte(text), &v); err != nil || len(v) != 1 {
				t.Fatalf("%v: %+v", err, v)
			}
			return []byte(v[0].Typed.Config.Configuration.Value)
		},
	} {
		text, err := s.Text(form)
		if err != nil {
			t.Fatal(err)
		}
		c, err := config.Parse(at(t, text))
		if err != nil {
			t.Errorf("%s: %v\n%s", form, err, text)
			continue
		}
		if c.Policy != config.PolicyCacheAware || c.Shadow != config.PolicyJoinShortestQueue || c.CacheAware.Affinity != 2 {
			t.Errorf("%s: %+v", form, c)
		}
		if form == "wasmplugin" && c.Discovery.Cluster != "outbound|8080||llm.prod.svc.cluster.local" {
			t.Errorf("discovery: %+v", c.Discovery)
		}
	}
	if _, err := s.Text("xml"); err == nil || !strings.Contains(err.Error(), "wasmplugin") {
		t.Errorf("of another form: %v", err)
	}
}

func TestQualified(t *testing.T) {
	for host, want := range map[string]string{
		"vllm": "vllm.default.svc.cluster.local", "vllm.prod": "vllm.prod.svc.cluster.local", "vllm.prod.svc": "vllm.prod.svc.cluster.local",
		"vllm.prod.svc.cluster.local": "vllm.prod.svc.cluster.local", "llm.example.com": "llm.example.com",
	} {
		if got := qualified(host); got != want {
			t.Errorf("%s is %s, want %s", host, got, want)
		}
	}
}
