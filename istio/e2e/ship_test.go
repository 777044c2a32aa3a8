//go:build e2eistio

package e2e

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// shipped is what a kustomization of istio/ makes, with the module's image taken from the tests' registry; change may
// edit the documents further.
func (s *stack) shipped(t *testing.T, folder string, change func(object)) []object {
	t.Helper()
	build := exec.Command(s.tools+"/bin/kustomize", "build", "../"+folder)
	out, err := build.Output()
	if err != nil {
		t.Fatalf("kustomize build %s: %v", folder, err)
	}
	docs, err := parseYAML(strings.ReplaceAll(string(out), shippedImage, registryAddress+"/warmroute:"+moduleTag))
	if err != nil {
		t.Fatal(err)
	}
	for _, doc := range docs {
		showDecisions(map[string]any(doc))
		if change != nil {
			change(doc)
		}
	}
	return docs
}

// apply applies docs until the end of the test.
func (s *stack) apply(t *testing.T, docs []object) {
	t.Helper()
	for _, doc := range docs {
		if err := s.kube.apply(doc); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		for _, doc := range slices.Backward(docs) {
			if err := s.kube.remove(doc); err != nil {
				t.Error(err)
			}
		}
	})
}

// pluginConfig lets edit change the module's configuration in a WasmPlugin or an EnvoyFilter.
func pluginConfig(t *testing.T, doc object, edit func(config object)) {
	t.Helper()
	if doc["kind"] == "WasmPlugin" {
		edit(at(doc, "spec", "pluginConfig").(object))
		return
	}
	patches, _ := at(doc, "spec", "configPatches").([]any)
	for _, patch := range patches {
		if value, ok := at(patch.(object), "patch", "value", "typed_config", "config", "configuration").(object); ok {
			var config object
			if err := json.Unmarshal([]byte(value["value"].(string)), &config); err != nil {
				t.Fatal(err)
			}
			edit(config)
			changed, err := json.Marshal(config)
			if err != nil {
				t.Fatal(err)
			}
			value["value"] = string(changed)
		}
	}
}
