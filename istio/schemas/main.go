// Command schemas turns what Kubernetes and its CustomResourceDefinitions say of their objects into JSON schemas, one
// file per kind, named as kubeconform is told: GROUP-VERSION-kind.json. They are strict: a member that is not declared
// is an error, as it is for `kubectl apply`.
//
//	schemas OUT SWAGGER CRD…      SWAGGER is Kubernetes' api/openapi-spec/swagger.json, CRD a file of definitions
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

type object = map[string]any

// coreKinds are Kubernetes' own that istio/ and examples/autoscaling use.
var coreKinds = []string{
	"io.k8s.api.core.v1.Service", "io.k8s.api.core.v1.ConfigMap", "io.k8s.api.apps.v1.StatefulSet",
	"io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler", "io.k8s.api.networking.v1.NetworkPolicy",
}

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: schemas OUT SWAGGER CRD…")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

func run(out, swagger string, crds []string) error {
	text, err := os.ReadFile(swagger)
	if err != nil {
		return err
	}
	schemas, err := core(text, coreKinds)
	if err != nil {
		return fmt.Errorf("%s: %w", swagger, err)
	}
	for _, file := range crds {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for part := range strings.SplitSeq("\n"+string(text), "\n---") {
			more, err := custom([]byte(part))
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			for name, schema := range more {
				schemas[name] = schema
			}
		}
	}
	for name, schema := range schemas {
		text, err := json.Marshal(schema)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fileName is what kubeconform looks for. It takes the version for the group of kinds that have none.
func fileName(group, version, kind string) string {
	if group == "" {
		group = version
	}
	return group + "-" + version + "-" + strings.ToLower(kind) + ".json"
}

// core takes kinds out of Kubernetes' definitions, each with those that it refers to.
func core(swagger []byte, kinds []string) (map[string]object, error) {
	var doc struct{ Definitions map[string]object }
	if err := json.Unmarshal(swagger, &doc); err != nil {
		return nil, err
	}
	files := map[string]object{}
	for _, kind := range kinds {
		root := doc.Definitions[kind]
		if root == nil {
			return nil, fmt.Errorf("no definition of %s", kind)
		}
		var names []struct{ Group, Version, Kind string }
		text, _ := json.Marshal(root["x-kubernetes-group-version-kind"])
		if err := json.Unmarshal(text, &names); err != nil || len(names) == 0 {
			return nil, fmt.Errorf("%s has no group, version and kind", kind)
		}
		used := object{}
		gather(root, doc.Definitions, used)
		for _, definition := range used {
			strict(definition)
		}
		for name, types := range map[string][]any{ // declared as strings
			"io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"integer", "string"},
			"io.k8s.apimachinery.pkg.api.resource.Quantity":   {"number", "string"},
		} {
			if definition, ok := used[name].(object); ok {
				definition["type"] = types
			}
		}
		strict(root)
		schema := object{"definitions": used}
		for name, value := range root {
			schema[name] = value
		}
		files[fileName(names[0].Group, names[0].Version, names[0].Kind)] = schema
	}
	return files, nil
}

const refPrefix = "#/definitions/"

// gather adds every definition below node to used.
func gather(node any, all map[string]object, used object) {
	switch n := node.(type) {
	case object:
		if ref, ok := n["$ref"].(string); ok {
			name := strings.TrimPrefix(ref, refPrefix)
			if _, known := used[name]; !known && all[name] != nil {
				used[name] = all[name]
				gather(all[name], all, used)
			}
		}
		for _, value := range n {
			gather(value, all, used)
		}
	case []any:
		for _, value := range n {
			gather(value, all, used)
		}
	}
}

// custom returns a schema for each version that a CustomResourceDefinition serves; none for other documents.
func custom(doc []byte) (map[string]object, error) {
	var crd struct {
		Kind string
		Spec struct {
			Group    string
			Names    struct{ Kind string }
			Versions []struct {
				Name   string
				Served bool
				Schema struct{ OpenAPIV3Schema object }
			}
		}
	}
	if err := yaml.Unmarshal(doc, &crd); err != nil {
		return nil, err
	}
	files := map[string]object{}
	if crd.Kind != "CustomResourceDefinition" {
		return files, nil
	}
	for _, version := range crd.Spec.Versions {
		schema := version.Schema.OpenAPIV3Schema
		if !version.Served || schema == nil {
			continue
		}
		properties, _ := schema["properties"].(object)
		if properties == nil {
			return nil, fmt.Errorf("%s %s declares no properties", crd.Spec.Names.Kind, version.Name)
		}
		strict(schema)
		for _, name := range []string{"apiVersion", "kind"} {
			properties[name] = object{"type": "string"}
		}
		properties["metadata"] = object{"type": "object"}
		schema["required"] = append(listOf(schema["required"]), "apiVersion", "kind", "metadata")
		files[fileName(crd.Spec.Group, version.Name, crd.Spec.Names.Kind)] = schema
	}
	return files, nil
}

func listOf(value any) []any {
	list, _ := value.([]any)
	return list
}

// strict forbids what is not declared, in a schema and those of its members and items. Conditions (oneOf, not and the
// like) are left alone: they name members that the schema around them declares.
func strict(node any) {
	schema, ok := node.(object)
	if !ok {
		return
	}
	if properties, ok := schema["properties"].(object); ok {
		if _, said := schema["additionalProperties"]; !said && schema["x-kubernetes-preserve-unknown-fields"] != true {
			schema["additionalProperties"] = false
		}
		for _, member := range properties {
			strict(member)
		}
	}
	strict(schema["items"])
	strict(schema["additionalProperties"])
	if schema["nullable"] == true {
		if kind, ok := schema["type"].(string); ok {
			schema["type"] = []any{kind, "null"}
		}
	}
}
