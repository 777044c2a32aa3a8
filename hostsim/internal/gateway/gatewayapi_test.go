package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"sigs.k8s.io/yaml"

	"warmroute/plugin/config"
)

const envoyGateway = "../../../examples/envoy-gateway/"

// manifests are all documents of the files that the kustomization names.
func manifests(t *testing.T) (all []map[string]any) {
	t.Helper()
	var list struct{ Resources []string }
	text, err := os.ReadFile(envoyGateway + "kustomization.yaml")
	if err == nil {
		err = yaml.UnmarshalStrict(text, &struct {
			APIVersion, Kind, Namespace string
			Resources                   *[]string
		}{Resources: &list.Resources})
	}
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(envoyGateway + "*.yaml")
	if err != nil || len(list.Resources) != len(files)-1 {
		t.Fatalf("the kustomization names %v; there are %v (%v)", list.Resources, files, err)
	}
	for _, file := range list.Resources {
		text, err := os.ReadFile(envoyGateway + file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, documents(t, file, text)...)
	}
	return all
}

// documents are those of a file in YAML.
func documents(t *testing.T, file string, text []byte) (all []map[string]any) {
	t.Helper()
	for part := range bytes.SplitSeq(text, []byte("\n---\n")) {
		var document map[string]any
		if err := yaml.UnmarshalStrict(part, &document); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if document != nil {
			all = append(all, document)
		}
	}
	return all
}

// The module takes the configuration that Envoy Gateway would hand it, and what it is told goes where it says.
func TestEnvoyGatewayConfiguresTheModule(t *testing.T) {
	documents := manifests(t)
	modules := Find(any(toList(documents)), "config")
	if len(modules) != 2 {
		t.Fatalf("%d configurations of the module, want 2: one routes, one is the gate behind it", len(modules))
	}
	var configurations [2]config.Config
	for i, module := range modules {
		text, err := json.Marshal(module["config"])
		if err != nil {
			t.Fatal(err)
		}
		if configurations[i], err = config.Parse(text); err != nil {
			t.Fatal(err)
		}
	}
	cfg, gate := configurations[0], configurations[1]
	if gate.Role != config.RoleGate || gate.Steer.Header != cfg.Steer.Header || gate.Steer.Target != cfg.Steer.Target {
		t.Errorf("the second filter is %s with %+v; want a gate with the first's %+v", gate.Role, gate.Steer, cfg.Steer)
	}
	for _, off := range []string{"lua", "requestBuffer", "filterOrder"} { // the first is off by default; no other is needed
		if len(Find(any(toList(documents)), off)) > 0 {
			t.Errorf("the example has %s", off)
		}
	}
	if cfg.Steer.Via != config.ViaProperty || cfg.Steer.Target != config.TargetEndpoint || cfg.Discovery.Cluster == "" {
		t.Errorf("got %+v, discovery %+v", cfg.Steer, cfg.Discovery)
	}
	removals := Find(any(toList(documents)), "earlyRequestHeaders")
	if len(removals) != 1 {
		t.Fatalf("clients' headers are removed at %d places, want 1", len(removals))
	}
	if got := fmt.Sprint(removals[0]["earlyRequestHeaders"]); got != "map[remove:["+cfg.Steer.Header+"]]" {
		t.Errorf("of clients' headers: %s; want the module's own removed, %s", got, cfg.Steer.Header)
	}
	for _, from := range Find(any(toList(documents)), "extractFrom") {
		for _, source := range from["extractFrom"].([]any) {
			if got := source.(map[string]any)["header"]; got != cfg.Steer.Header {
				t.Errorf("the load balancer reads %v; the module's header is %s", got, cfg.Steer.Header)
			}
		}
	}
}

func toList(documents []map[string]any) (all []any) {
	for _, d := range documents {
		all = append(all, d)
	}
	return all
}
