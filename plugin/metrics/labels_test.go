package metrics

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warmroute/testdata/golden"
)

// labelNames are the labels of all metrics, those that stand behind another one last: Envoy shows them in the order in which
// they are taken out of the name.
func labelNames() (names []string) {
	for place, more := 0, true; more; place++ {
		more = false
		for _, d := range definitions {
			if labels := strings.Fields(d.labels); place < len(labels) {
				more = true
				names = slices.DeleteFunc(names, func(name string) bool { return name == labels[place] })
				names = append(names, labels[place])
			}
		}
	}
	return names
}

var (
	// tagLines are lines that take one of our labels out of a metric's name, in the configuration of Envoy or Envoy Gateway.
	tagLines = regexp.MustCompile(`(?:.*\btag_name: \w+, regex: '\(\w+=\\\.=\(\.\*\?\);\\\.;\)'.*\n)+`)
	// tagList names the labels to Istio's proxies.
	tagList = regexp.MustCompile(`(extraStatTags"?: \[)([^\]]*)\]`)
)

// withLabels writes the labels into a text, wherever it names them; found is in how many places.
func withLabels(text string, names []string) (made string, found int) {
	text = tagLines.ReplaceAllStringFunc(text, func(block string) string {
		found++
		first, _, _ := strings.Cut(block, "\n")
		_, old, _ := strings.Cut(first, "tag_name: ")
		old, _, _ = strings.Cut(old, ",")
		var lines strings.Builder
		for _, name := range names {
			line := strings.Replace(first, "tag_name: "+old, "tag_name: "+name, 1)
			lines.WriteString(strings.Replace(line, "'("+old+"=", "'("+name+"=", 1) + "\n")
		}
		return lines.String()
	})
	text = tagList.ReplaceAllStringFunc(text, func(list string) string {
		found++
		parts := tagList.FindStringSubmatch(list)
		if strings.Contains(parts[2], `"`) {
			return parts[1] + `"` + strings.Join(names, `", "`) + `"]`
		}
		return parts[1] + strings.Join(names, ", ") + "]"
	})
	return text, found
}

// The examples take the labels out of the metrics' names: go generate writes those of the definitions into all of them.
// hostsim makes its gateways from examples/envoy.
func TestLabelsOfExamples(t *testing.T) {
	names, places := labelNames(), 0
	for _, folder := range []string{"../../examples", "../../istio", "../../docs"} {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !slices.Contains([]string{".yaml", ".md", ".go"}, filepath.Ext(path)) {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			made, found := withLabels(string(text), names)
			places += found
			if found == 0 && strings.HasPrefix(path, "../../examples") && filepath.Base(path) != "lds.yaml" && // whose bootstrap has them
				regexp.MustCompile(`(?m)^\s*(root_id|rootID): warmroute`).MatchString(made) {
				t.Errorf("%s loads the module and leaves its labels in the metrics' names: it needs stats_tags", path)
			}
			if made == string(text) {
				return nil
			}
			if golden.Updating() {
				return os.WriteFile(path, []byte(made), 0o644)
			}
			t.Errorf("%s has not the labels %v: go generate ./plugin/metrics", path, names)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if places < 9 {
		t.Errorf("the labels stand in %d places, want five examples for Envoy, Envoy Gateway, Grafana's and Istio's README, and Istio's test", places)
	}
}

func TestWithLabels(t *testing.T) {
	const text = "  stats_tags: # labels\n  - { tag_name: a, regex: '(a=\\.=(.*?);\\.;)' }\n  - { tag_name: b, regex: '(b=\\.=(.*?);\\.;)' }\n" +
		"  - { tag_name: others, regex: '(x(.*?))' }\nextraStatTags: [a]\n\"extraStatTags\": [\"a\"]}\n"
	const want = "  stats_tags: # labels\n  - { tag_name: c, regex: '(c=\\.=(.*?);\\.;)' }\n" +
		"  - { tag_name: others, regex: '(x(.*?))' }\nextraStatTags: [c]\n\"extraStatTags\": [\"c\"]}\n"
	if got, found := withLabels(text, []string{"c"}); got != want || found != 3 {
		t.Errorf("in %d places\n got %s\nwant %s", found, got, want)
	}
}
