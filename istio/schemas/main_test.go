package main

import (
	"encoding/json"
	"testing"
)

const crd = `
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {kind: Thing}
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            oneOf: [{required: [a]}, {not: {properties: {b: {}}}}]
            properties:
              a: {type: string, nullable: true}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true, properties: {c: {type: string}}}
              labels: {type: object, additionalProperties: {type: object, properties: {d: {type: string}}}}
              list: {type: array, items: {type: object, properties: {e: {type: string}}}}
  - {name: v1old, served: false}
`

// TestCustom: declared members are all there are, but where the definition says otherwise.
func TestCustom(t *testing.T) {
	files, err := custom([]byte(crd))
	if err != nil {
		t.Fatal(err)
	}
	schema := files["example.com-v1-thing.json"]
	if len(files) != 1 || schema == nil {
		t.Fatalf("files: %v, want example.com-v1-thing.json only", files)
	}
	for _, c := range []struct {
		path []string
		want string
	}{
		{[]string{"additionalProperties"}, `false`},
		{[]string{"properties", "spec", "additionalProperties"}, `false`},
		{[]string{"properties", "spec", "oneOf"}, `[{"required":["a"]},{"not":{"properties":{"b":{}}}}]`},
		{[]string{"properties", "spec", "properties", "a", "type"}, `["string","null"]`},
		{[]string{"properties", "spec", "properties", "free", "additionalProperties"}, `null`},
		{[]string{"properties", "spec", "properties", "labels", "additionalProperties", "additionalProperties"}, `false`},
		{[]string{"properties", "spec", "properties", "list", "items", "additionalProperties"}, `false`},
		{[]string{"properties", "metadata"}, `{"type":"object"}`},
		{[]string{"required"}, `["apiVersion","kind","metadata"]`},
	} {
		var value any = schema
		for _, name := range c.path {
			value = value.(object)[name]
		}
		got, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%v: got %s, want %s", c.path, got, c.want)
		}
	}
	if files, err := custom([]byte("kind: Service")); err != nil || len(files) != 0 {
		t.Errorf("of a Service: %v, %v, want nothing", files, err)
	}
}

// TestCore: a kind comes with the definitions that it refers to, strict, and no others.
func TestCore(t *testing.T) {
	const swagger = `{"definitions": {
		"io.k8s.api.core.v1.Service": {"type": "object", "properties": {"port": {"$ref": "#/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString"}},
			"x-kubernetes-group-version-kind": [{"group": "", "version": "v1", "kind": "Service"}]},
		"io.k8s.api.apps.v1.StatefulSet": {"type": "object", "properties": {"p": {"$ref": "#/definitions/pod"}},
			"x-kubernetes-group-version-kind": [{"group": "apps", "version": "v1", "kind": "StatefulSet"}]},
		"pod": {"type": "object", "properties": {"name": {"type": "string"}}},
		"io.k8s.apimachinery.pkg.util.intstr.IntOrString": {"type": "string"},
		"unused": {"type": "string"}}}`
	files, err := core([]byte(swagger), []string{"io.k8s.api.core.v1.Service", "io.k8s.api.apps.v1.StatefulSet"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"v1-v1-service.json":       `{"io.k8s.apimachinery.pkg.util.intstr.IntOrString":{"type":["integer","string"]}}`,
		"apps-v1-statefulset.json": `{"pod":{"additionalProperties":false,"properties":{"name":{"type":"string"}},"type":"object"}}`,
	} {
		got, err := json.Marshal(files[name]["definitions"])
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want || files[name]["additionalProperties"] != false {
			t.Errorf("%s: definitions %s, want %s; strict %v", name, got, want, files[name]["additionalProperties"])
		}
	}
	if _, err := core([]byte(`{"definitions": {}}`), coreKinds); err == nil {
		t.Error("no definitions at all: want an error")
	}
}
