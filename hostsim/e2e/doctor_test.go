//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/doctor"
	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/gateway"
)

// What we ship has nothing wrong while it runs; without the flag, that is found, in the configuration and by its effect.
func TestDoctor(t *testing.T) {
	t.Parallel()
	for _, example := range []string{"endpoint", "cluster", "discovery", "property"} {
		t.Run(example, func(t *testing.T) {
			s := launch(t, example, nil)
			if all := s.examine(t); finding.Worst(all) != finding.Fine {
				t.Errorf("%+v", all)
			}
		})
	}
	t.Run("no flag", func(t *testing.T) {
		s := launch(t, "endpoint", func(o *gateway.Options) {
			o.Edit = func(doc any) {
				for _, config := range gateway.Find(doc, "allow_on_headers_stop_iteration") {
					delete(config, "allow_on_headers_stop_iteration")
				}
			}
		})
		all := s.examine(t)
		if text := fmt.Sprintf("%+v", all); finding.Worst(all) != finding.Broken || !strings.Contains(text, "never shows a held request its body") {
			t.Error(text)
		}
	})
}

func (s *stack) examine(t *testing.T) []finding.Finding {
	t.Helper()
	all, err := doctor.Examine(t.Context(), doctor.Options{Admin: s.Admin, Replicas: true, Timeout: 10 * time.Second, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
