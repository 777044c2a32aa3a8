//go:build crds

package gateway

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"
)

// TestCRDs holds the manifests that are rendered into the folder RENDERED against the schemas of the custom resource
// definitions below the folders that CRDS names, with colons between them; fields that a definition does not have are refused, as `kubectl apply` would.
// Rules in CEL are not run. examples/envoy-gateway/check.sh makes them all.
func TestCRDs(t *testing.T) {
	schemas := map[string]*jsonschema.Schema{}
	for _, dir := range filepath.SplitList(os.Getenv("CRDS")) {
		addSchemas(t, dir, schemas)
	}
	for example, least := range map[string]int{"envoy-gateway": 7, "envoy-gateway-peers": 11, "envoy-ai-gateway": 11, "envoy-ai-gateway-peers": 15} {
		text, err := os.ReadFile(filepath.Join(os.Getenv("RENDERED"), example+".yaml"))
		if err != nil {
			t.Fatal(err)
		}
		held := 0
		for _, document := range documents(t, example, text) {
			kind := fmt.Sprint(document["apiVersion"], " ", document["kind"])
			if kind == "v1 Service" || kind == "networking.k8s.io/v1 NetworkPolicy" { // Kubernetes' own
				continue
			}
			held++
			schema, known := schemas[kind]
			if !known {
				t.Errorf("%s: no definition of %s among %d", example, kind, len(schemas))
				continue
			}
			if err := schema.Validate(document); err != nil {
				t.Errorf("%s: %s: %v", example, kind, err)
			}
			document["spec"].(map[string]any)["noSuchField"] = true
			if schema.Validate(document) == nil {
				t.Errorf("%s: a field that there is not is taken", kind)
			}
		}
		if held < least {
			t.Errorf("%s: %d manifests, want %d", example, held, least)
		}
	}
}

// addSchemas adds those of the definitions below dir, by "group/version kind".
func addSchemas(t *testing.T, dir string, all map[string]*jsonschema.Schema) {
	t.Helper()
	before := len(all)
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".yaml") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for part := range bytes.SplitSeq(text, []byte("\n---\n")) {
			if err := compile(part, all); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		return nil
	})
	if err != nil || len(all) == before {
		t.Fatalf("%d definitions in %q: %v", len(all)-before, dir, err)
	}
}

func compile(definition []byte, into map[string]*jsonschema.Schema) error {
	var crd struct {
		Kind string
		Spec struct {
			Group    string
			Names    struct{ Kind string }
			Versions []struct {
				Name   string
				Schema struct {
					OpenAPIV3Schema map[string]any `json:"openAPIV3Schema"`
				}
			}
		}
	}
	if err := yaml.Unmarshal(definition, &crd); err != nil || crd.Kind != "CustomResourceDefinition" {
		return err
	}
	for _, v := range crd.Spec.Versions {
		kind := fmt.Sprintf("%s/%s %s", crd.Spec.Group, v.Name, crd.Spec.Names.Kind)
		c := jsonschema.NewCompiler()
		c.DefaultDraft(jsonschema.Draft4) // the nearest to OpenAPI 3.0
		url := "crd:///" + strings.ReplaceAll(kind, " ", "/")
		if err := c.AddResource(url, closed(v.Schema.OpenAPIV3Schema)); err != nil {
			return err
		}
		schema, err := c.Compile(url)
		if err != nil {
			return err
		}
		into[kind] = schema
	}
	return nil
}

// closed refuses fields beside those of each object, as the API server prunes and kubectl complains; metadata is its own.
func closed(schema map[string]any) map[string]any {
	if properties, ok := schema["properties"].(map[string]any); ok {
		for _, property := range properties {
			if p, ok := property.(map[string]any); ok {
				closed(p)
			}
		}
		if schema["x-kubernetes-preserve-unknown-fields"] != true && schema["additionalProperties"] == nil {
			schema["additionalProperties"] = false
		}
	}
	for _, inner := range []string{"items", "additionalProperties"} {
		if s, ok := schema[inner].(map[string]any); ok {
			closed(s)
		}
	}
	return schema
}
