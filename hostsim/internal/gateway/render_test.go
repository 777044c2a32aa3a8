package gateway

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const examples = "../../../examples/envoy/"

// rendered is an example as Envoy would read it, and the module's configuration in it.
func rendered(t *testing.T, opt Options) (doc, plugin map[string]any) {
	t.Helper()
	text, err := render(opt)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	values := Find(doc, "configuration")
	if len(values) != 1 {
		t.Fatalf("got %d configurations of the module, want 1", len(values))
	}
	value := values[0]["configuration"].(map[string]any)["value"].(string)
	if err := json.Unmarshal([]byte(value), &plugin); err != nil {
		t.Fatal(err)
	}
	return doc, plugin
}

// Both shipped examples come out with other ports, replicas and module, and nothing of their own addresses is left.
func TestRenderReplaces(t *testing.T) {
	replicas := []string{"127.0.0.1:31001", "127.0.0.1:31002", "127.0.0.1:31003"}
	for _, c := range []struct {
		example string
		uses    int // of each replica's port, in Envoy's own part
	}{{"endpoint", 1}, {"cluster", 4}} {
		t.Run(c.example, func(t *testing.T) {
			doc, plugin := rendered(t, Options{Config: examples + c.example + ".yaml", Wasm: "other/module.wasm", Replicas: replicas})
			ports := map[float64]int{}
			for _, socket := range Find(doc, "port_value") {
				ports[socket["port_value"].(float64)]++
			}
			want := map[float64]int{0: 2, 31001: c.uses, 31002: c.uses, 31003: c.uses} // 0: the listener's and the admin's
			if fmt.Sprint(ports) != fmt.Sprint(want) {
				t.Errorf("got ports %v, want %v", ports, want)
			}
			if files := Find(doc, "filename"); len(files) != 1 || files[0]["filename"] != "other/module.wasm" {
				t.Errorf("got modules %v, want only other/module.wasm", files)
			}
			var addresses []string
			for _, e := range plugin["endpoints"].([]any) {
				if object, ok := e.(map[string]any); ok {
					e = object["address"]
				}
				addresses = append(addresses, e.(string))
			}
			if !slices.Equal(addresses, replicas) {
				t.Errorf("got endpoints %v, want %v", addresses, replicas)
			}
			if plugin["policy"] == nil || plugin["steer"].(map[string]any)["target"] != c.example {
				t.Errorf("the example's own members are lost: %v", plugin)
			}
			if len(Find(doc, "allow_on_headers_stop_iteration")) != 1 || len(Find(doc, "retry_policy")) == 0 {
				t.Error("Envoy's own part is not the example's")
			}
		})
	}
}

// What is not given stays as the example has it.
func TestRenderKeeps(t *testing.T) {
	for _, example := range []string{"endpoint", "cluster"} {
		doc, plugin := rendered(t, Options{Config: examples + example + ".yaml", Wasm: "w", Replicas: []string{"127.0.0.1:31001"}})
		ports := map[float64]bool{}
		for _, socket := range Find(doc, "port_value") {
			ports[socket["port_value"].(float64)] = true
		}
		if len(ports) != 4 || !ports[31001] || !ports[exampleReplica+1] || !ports[exampleReplica+2] {
			t.Errorf("%s: with one replica given got ports %v", example, ports)
		}
		if text := fmt.Sprint(plugin["endpoints"]); strings.Contains(text, ":8001") || !strings.Contains(text, ":8002") {
			t.Errorf("%s: with one replica given got endpoints %s", example, text)
		}
	}
}

func TestRenderPluginMembers(t *testing.T) {
	for _, example := range []string{"endpoint", "cluster"} {
		_, plugin := rendered(t, Options{Config: examples + example + ".yaml", Wasm: "w", Plugin: map[string]any{
			"policy": "random", "max_inspecting": 2, "response_header": nil, "steer": map[string]any{"target": "x"},
		}})
		if plugin["policy"] != "random" || plugin["max_inspecting"] != 2.0 {
			t.Errorf("%s: members are not replaced or added: %v", example, plugin)
		}
		if steer := plugin["steer"].(map[string]any); len(steer) != 1 || steer["target"] != "x" {
			t.Errorf("%s: a member is replaced whole; got %v", example, steer)
		}
		if _, there := plugin["response_header"]; there {
			t.Errorf("%s: a member given as nil is still there", example)
		}
		if plugin["endpoints"] == nil {
			t.Errorf("%s: the other members are lost", example)
		}
	}
}

// An Edit sees the configuration with all else replaced, and has the last word.
func TestRenderEdits(t *testing.T) {
	doc, _ := rendered(t, Options{Config: examples + "endpoint.yaml", Wasm: "w", Edit: func(doc any) {
		for _, file := range Find(doc, "filename") {
			if file["filename"] != "w" {
				t.Errorf("the edit sees the module %v, want w", file["filename"])
			}
			file["filename"] = "edited"
		}
	}})
	if files := Find(doc, "filename"); len(files) != 1 || files[0]["filename"] != "edited" {
		t.Errorf("got modules %v, want the edited one", files)
	}
}

func TestRenderErrors(t *testing.T) {
	write := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		opt  Options
		want string
	}{
		{Options{Config: "no-such.yaml"}, "no-such.yaml"},
		{Options{Config: write("indented.yaml", "a: [1\nb")}, "indented.yaml"},
		{Options{Config: write("script.yaml", "configuration: { value: '{not JSON' }")}, "script.yaml: the module's configuration"},
		{Options{Config: write("struct.yaml", "configuration: { policy: random }")}, "struct.yaml: the module's configuration"},
		{Options{Config: write("text.yaml", "configuration: text")}, "text.yaml: the module's configuration"},
		{Options{Config: examples + "endpoint.yaml", Replicas: []string{"127.0.0.1:1", "10.0.0.1:2"}}, `replica 1: "10.0.0.1:2"`},
		{Options{Config: examples + "endpoint.yaml", Replicas: []string{"127.0.0.1:"}}, "replica 0:"},
	} {
		if text, err := render(c.opt); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with replicas %v: got %d bytes, error %v; want one that names %s", c.opt.Config, c.opt.Replicas, len(text), err, c.want)
		}
	}
}

// No example shows decisions to clients; a gateway that is started here does, unless it is told not to.
func TestExamplesShowNoDecisions(t *testing.T) {
	files, err := filepath.Glob("../../../examples/*/*.yaml")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "response_header") {
			t.Errorf("%s shows decisions to clients", file)
		}
	}
	for want, plugin := range map[bool]map[string]any{true: nil, false: {"response_header": nil}} {
		doc, err := render(Options{Config: "../../../examples/envoy/endpoint.yaml", Plugin: plugin})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(doc), DecisionHeader); got != want {
			t.Errorf("plugin %v: shown %v", plugin, got)
		}
	}
}
