package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// Settings finds the module's configuration in a file: it is all of it, as JSON or YAML, or that of the one module that a WasmPlugin, another
// resource or an Envoy configuration has. inside says which that is; "": all of it. Errors name the file.
func Settings(s *console.Streams, path string) (text []byte, inside string, err error) {
	text, err = s.ReadByHand(path)
	if err != nil {
		return nil, "", err // it names the file
	}
	if begins := strings.TrimSpace(string(text)); json.Valid(text) || strings.HasPrefix(begins, "{") {
		if !json.Valid(text) || !around(text) {
			return text, "", nil // of JSON the module's own reader names lines
		}
	}
	documents, err := tree.Documents(text)
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", console.Shown(path), err)
	}
	var filters []manifest.Filter
	for _, f := range manifest.Collect(documents).Filters {
		if c, err := config.Parse(f.JSON); err != nil || c.Role == config.RoleGateway {
			filters = append(filters, f)
		}
	}
	switch {
	case len(filters) > 1:
		var names []string
		for _, f := range filters {
			names = append(names, f.Where)
		}
		return nil, "", fmt.Errorf("%s: it has several modules: %s; give one", console.Shown(path), strings.Join(names, ", "))
	case len(filters) == 1 && filters[0].Fault != "":
		return nil, "", fmt.Errorf("%s: %s: %s", console.Shown(path), filters[0].Where, filters[0].Fault)
	case len(filters) == 1:
		return filters[0].JSON, filters[0].Where, nil
	case len(documents) != 1:
		return nil, "", fmt.Errorf("%s: %w, in %d documents", console.Shown(path), ErrNoModule, len(documents))
	}
	if text, err = yaml.YAMLToJSONStrict(text); err == nil && around(text) {
		err = ErrNoModule
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", console.Shown(path), err)
	}
	return text, "", nil
}

// around says whether JSON is a resource or an Envoy configuration, which may have the module inside.
func around(text []byte) bool {
	var m map[string]json.RawMessage
	return json.Unmarshal(text, &m) == nil && slices.ContainsFunc(envelopes, func(name string) bool { return m[name] != nil })
}

// envelopes are members that a resource or an Envoy configuration has, and our configuration has not.
var envelopes = []string{"kind", "apiVersion", "static_resources", "dynamic_resources", "resources", "admin", "configs"}

// deployment are the members that say where a gateway runs: the simulator has its own.
var deployment = []string{"$schema", "endpoints", "discovery", "scrape", "steer", "data_parallel_ranks", "peers", "pools", "role", "zone", "record", "policy"}

// Plugin reads a file with members of the module's configuration for a replay: further members as JSON or YAML, or all that a gateway
// runs with, of which the deployment is left out and named on stderr.
func Plugin(s *console.Streams, path string) (map[string]any, error) {
	text, inside, err := Settings(s, path)
	if err != nil {
		return nil, err
	}
	var all any
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, console.JSONFault(console.Shown(path), text, err)
	}
	members, ok := all.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("%s: not an object", console.Shown(path))
	}
	if inside == "" && members["discovery"] == nil && members["endpoints"] == nil {
		return members, nil
	}
	if _, err := config.Parse(text); err != nil {
		return nil, fmt.Errorf("%s: %w", console.Shown(path), err)
	}
	var left []string
	for _, name := range deployment {
		if members[name] != nil {
			delete(members, name)
			left = append(left, name)
		}
	}
	taken := make([]string, 0, len(members))
	for name := range members {
		taken = append(taken, name)
	}
	slices.Sort(taken)
	fmt.Fprintf(s.Stderr, "%s: replayed with its %s; the simulator has its own %s.\n", console.Shown(path), commas(taken), commas(left))
	return members, nil
}

func commas(names []string) string {
	if len(names) == 0 {
		return "defaults"
	}
	return strings.Join(names, ", ")
}

// ErrNoModule is what is said of a configuration of something else.
var ErrNoModule = errors.New("no module of warmroute is in it")

// Setup reads the documents of a text. With ErrNoModule comes what else they have.
func Setup(text []byte) (*manifest.Setup, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, errors.New("it is empty")
	}
	documents, err := tree.Documents(text)
	if err != nil {
		if begins := strings.TrimSpace(string(text))[0]; begins == '{' || begins == '/' { // broken JSON: the module's reader names the place
			return &manifest.Setup{Filters: []manifest.Filter{{Where: "configuration", JSON: text}}}, nil
		}
		return nil, err
	}
	setup := manifest.Collect(documents)
	if len(setup.Filters) > 0 {
		return setup, nil
	}
	if setup.Envoy || len(documents) != 1 {
		return setup, ErrNoModule
	}
	if m, ok := documents[0].(map[string]any); ok && slices.ContainsFunc(envelopes, func(name string) bool { return m[name] != nil }) {
		return setup, ErrNoModule
	}
	if m, ok := documents[0].(map[string]any); ok && m["config"] != nil && (m["variant"] != nil || m["image"] != nil || m["service"] != nil) {
		return nil, errors.New("it has values for a chart: helm template istio/chart -f FILE | hostsim check -")
	}
	own := text
	if !json.Valid(text) && !strings.HasPrefix(strings.TrimSpace(string(text)), "{") {
		own, _ = json.Marshal(documents[0]) // YAML of our own; the module's reader names lines of JSON
	}
	setup.Filters = []manifest.Filter{{Where: "configuration", JSON: own}}
	return setup, nil
}
