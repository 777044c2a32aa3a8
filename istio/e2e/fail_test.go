//go:build e2eistio

package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestBrokenModule applies what is shipped, but for one thing that cannot work, to a gateway that starts.
func TestBrokenModule(t *testing.T) {
	s := shared
	s.apply(t, s.shipped(t, classic.folder, nil))
	eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
	const (
		noFilter = http.StatusInternalServerError // Envoy has no configuration for the filter, and refuses all requests
		denied   = http.StatusForbidden           // by what the agent puts in the module's place
	)
	for _, c := range []struct {
		folder, what, strategy string
		want                   int // status of requests, from the third on
	}{
		{"wasmplugin", trappingTag, "FAIL_OPEN", http.StatusOK},
		{"wasmplugin", trappingTag, "FAIL_CLOSE", http.StatusServiceUnavailable},
		{"wasmplugin", trappingTag, "FAIL_RELOAD", http.StatusServiceUnavailable},
		{"wasmplugin", absentTag, "FAIL_OPEN", http.StatusOK},
		{"wasmplugin", absentTag, "FAIL_CLOSE", denied},
		{"wasmplugin", absentTag, "FAIL_RELOAD", denied},
		{"wasmplugin", brokenTag, "FAIL_OPEN", noFilter},
		{"wasmplugin", brokenTag, "FAIL_CLOSE", noFilter},
		{"wasmplugin", "refused", "FAIL_OPEN", noFilter},
		{"envoyfilter", trappingTag, "FAIL_OPEN", http.StatusOK},
		{"envoyfilter", absentTag, "FAIL_OPEN", http.StatusOK},
		{"envoyfilter", brokenTag, "FAIL_OPEN", http.StatusOK},
		{"envoyfilter", "refused", "FAIL_OPEN", http.StatusOK},
	} {
		t.Run(c.folder+" "+c.what+" "+c.strategy, func(t *testing.T) {
			s.apply(t, s.shipped(t, c.folder, func(doc object) { spoil(t, doc, c.what, c.strategy) }))
			g := s.startGateway(t, classic)
			statuses := map[int]int{}
			inARow := 0
			eventually(t, "ten answers in a row are as expected", func() bool {
				r := g.ask(t, story(1), "Hello")
				statuses[r.status]++
				if inARow++; r.status != c.want {
					inARow = 0
				}
				if r.decision["endpoint"] != "" {
					t.Errorf("a decision was made: %v", r.decision)
				}
				return inARow == 10
			})
			t.Logf("statuses %v", statuses)
			if c.want == http.StatusOK {
				notObeyed(t, g)
			}
		})
	}
}

// TestForgedWhileModuleTraps: in every variant, requests pass unsteered by a module that traps, and clients do not steer them.
func TestForgedWhileModuleTraps(t *testing.T) {
	for _, v := range variants {
		t.Run(v.folder, func(t *testing.T) {
			s := shared
			s.apply(t, s.shipped(t, v.style.folder, nil))
			eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
			s.apply(t, s.shipped(t, v.folder, func(doc object) { spoil(t, doc, trappingTag, "FAIL_OPEN") }))
			g := s.startGateway(t, v.style)
			inARow, trapped := 0, false
			eventually(t, "the module has trapped, and ten requests in a row pass", func() bool {
				if inARow++; g.ask(t, story(1), "Hello").status != http.StatusOK {
					inARow, trapped = 0, true
				}
				return trapped && inARow >= 10
			})
			notObeyed(t, g)
		})
	}
}

// spoil makes a shipped document one that cannot work: what is a tag of the image, or "refused" for a configuration.
func spoil(t *testing.T, doc object, what, strategy string) {
	if doc["kind"] == "WasmPlugin" {
		doc["spec"].(object)["failStrategy"] = strategy
	}
	if what == "refused" && (doc["kind"] == "WasmPlugin" || doc["kind"] == "EnvoyFilter") {
		pluginConfig(t, doc, func(config object) { config["policy"] = "fastest" })
		return
	}
	replace(doc, "warmroute:"+moduleTag, "warmroute:"+what)
}

// replace changes every text below node that ends in old.
func replace(node any, old, to string) any {
	switch n := node.(type) {
	case object:
		for name := range n {
			n[name] = replace(n[name], old, to)
		}
	case []any:
		for i := range n {
			n[i] = replace(n[i], old, to)
		}
	case string:
		if head, ok := strings.CutSuffix(n, old); ok {
			return head + to
		}
	}
	return node
}

// TestRefusedEdit: a gateway that runs keeps what it has where an edit is refused, and takes the next one that is not.
func TestRefusedEdit(t *testing.T) {
	s := shared
	s.apply(t, s.shipped(t, classic.folder, nil))
	eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
	for _, folder := range []string{"wasmplugin", "envoyfilter"} {
		t.Run(folder, func(t *testing.T) {
			docs := s.shipped(t, folder, nil)
			s.apply(t, docs)
			g := s.startGateway(t, classic)
			eventually(t, "requests are steered", func() bool { return g.steers(t) })
			for _, step := range []struct{ policy, want string }{{"fastest", "cache_aware"}, {"prefix_key", "prefix_key"}} {
				for _, doc := range docs {
					pluginConfig(t, doc, func(config object) { config["policy"] = step.policy })
					if err := s.kube.apply(doc); err != nil {
						t.Fatal(err)
					}
				}
				if step.policy != step.want {
					eventually(t, "the module refuses the edit", func() bool {
						return strings.Contains(g.agent.text(), `the configuration is refused: policy: "`+step.policy+`"`)
					})
					time.Sleep(time.Second) // for Envoy to do what it should not
				}
				eventually(t, "decided by "+step.want, func() bool {
					return g.ask(t, story(2), "Hello").decision["policy"] == step.want
				})
			}
		})
	}
}
