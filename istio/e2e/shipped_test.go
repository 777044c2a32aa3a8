package e2e

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"warmroute/plugin/config"
)

// TestShippedConfigurations: every configuration of the module in istio/ is one that it takes. It needs no Istio.
func TestShippedConfigurations(t *testing.T) {
	found := 0
	if err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == "chart" {
			return fs.SkipDir // templates, which are no YAML yet: chart_test.go has what is rendered of them
		}
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for part := range strings.SplitSeq("\n"+string(content), "\n---") {
			var doc any
			if err := yaml.Unmarshal([]byte(part), &doc); err != nil {
				return err
			}
			for _, text := range configurations(doc) {
				found++
				if _, err := config.Parse([]byte(text)); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if found != 8 { // gateway-api is wasmplugin, patched; two answer other gateways
		t.Errorf("%d configurations, want 8", found)
	}
}

// configurations are those of a WasmPlugin, and those that an EnvoyFilter has as text.
func configurations(node any) (list []string) {
	switch n := node.(type) {
	case map[string]any:
		for name, value := range n {
			inner, _ := value.(map[string]any)
			text, isText := inner["value"].(string)
			switch {
			case name == "pluginConfig":
				encoded, err := json.Marshal(value)
				if err != nil {
					panic(err) // it was decoded from YAML
				}
				list = append(list, string(encoded))
			case name == "configuration" && isText:
				list = append(list, text)
			default:
				list = append(list, configurations(value)...)
			}
		}
	case []any:
		for _, value := range n {
			list = append(list, configurations(value)...)
		}
	}
	return list
}

// showDecisions makes each configuration of the module below node show its decisions in a response header. What is shipped shows
// them to nobody; the tests read them there.
func showDecisions(node any) {
	const name, header = "response_header", "x-warmroute-decision"
	switch n := node.(type) {
	case map[string]any:
		if plugin, ok := n["pluginConfig"].(map[string]any); ok {
			plugin[name] = header
		}
		if inner, ok := n["configuration"].(map[string]any); ok {
			var plugin map[string]any
			if text, ok := inner["value"].(string); ok && json.Unmarshal([]byte(text), &plugin) == nil {
				plugin[name] = header
				encoded, err := json.Marshal(plugin)
				if err != nil {
					panic(err) // it was decoded from JSON
				}
				inner["value"] = string(encoded)
			}
		}
		for _, value := range n {
			showDecisions(value)
		}
	case []any:
		for _, value := range n {
			showDecisions(value)
		}
	}
}

// What is shipped shows no decisions; showDecisions changes that in every variant.
func TestDecisionsAreNotShown(t *testing.T) {
	files, err := filepath.Glob("../*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	deeper, err := filepath.Glob("../*/*/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, file := range append(files, deeper...) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(file, "../chart/") { // templates, which are no YAML yet
			if strings.Contains(string(text), "response_header") {
				t.Errorf("%s shows decisions to clients", file)
			}
			continue
		}
		for part := range strings.SplitSeq("\n"+string(text), "\n---") {
			var doc any
			if err := yaml.Unmarshal([]byte(part), &doc); err != nil {
				t.Fatal(err)
			}
			for _, c := range configurations(doc) {
				if strings.Contains(c, "response_header") {
					t.Errorf("%s shows decisions to clients", file)
				}
			}
			showDecisions(doc)
			for _, c := range configurations(doc) {
				seen++
				if cfg, err := config.Parse([]byte(c)); err != nil || cfg.ResponseHeader != "x-warmroute-decision" {
					t.Errorf("%s: in the tests too: %q, %v", file, cfg.ResponseHeader, err)
				}
			}
		}
	}
	if seen != 8 {
		t.Errorf("%d configurations, want 8", seen)
	}
}
