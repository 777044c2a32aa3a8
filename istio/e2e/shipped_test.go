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
	if found != 5 { // gateway-api is wasmplugin, patched
		t.Errorf("%d configurations, want one for each variant", found)
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
