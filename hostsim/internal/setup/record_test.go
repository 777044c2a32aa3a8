package setup

import (
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// What is printed to record is taken by the module, and its log is in the same text.
func TestRecording(t *testing.T) {
	s := Settings{Endpoints: []string{"10.0.0.7:80"}, Service: "llm.prod:8080"}
	for _, form := range Forms {
		text, err := s.Recording(form)
		if err != nil {
			t.Fatal(err)
		}
		own := []byte(text)
		if form != "json" {
			documents, err := tree.Documents([]byte(text))
			if err != nil || len(documents) != 2 || !strings.Contains(text, `inline_string: "`+RecordField+`\n"`) {
				t.Fatalf("%s: %v, %d documents\n%s", form, err, len(documents), text)
			}
			filters := manifest.Collect(documents).Filters
			if len(filters) != 1 || filters[0].Fault != "" {
				t.Fatalf("%s: %+v", form, filters)
			}
			own = filters[0].JSON
		} else if _, err := yaml.YAMLToJSON(own); err != nil {
			t.Fatal(err)
		}
		c, err := config.Parse(own)
		if err != nil || !c.Record || c.Policy != config.PolicyJoinShortestQueue {
			t.Errorf("%s: %v, %+v", form, err, c)
		}
	}
	if _, err := s.Recording("xml"); err == nil {
		t.Error("another form: no error")
	}
}
