//go:build e2eistio

package e2e

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRecording: what hostsim advise --record prints for Istio records each request in the gateway's log, beside the access log that
// the mesh has, without any text; and hostsim advise reads that log as kubectl logs prints it.
func TestRecording(t *testing.T) {
	s := shared
	printed, err := exec.Command("../../build/hostsim", "advise", "--record", "--form", "wasmplugin", "--service", "vllm.default:8000").Output()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := parseYAML(strings.ReplaceAll(string(printed), shippedImage, registryAddress+"/warmroute:"+moduleTag))
	if err != nil {
		t.Fatal(err)
	}
	if len(docs) != 2 || docs[0]["kind"] != "WasmPlugin" || docs[1]["kind"] != "EnvoyFilter" {
		t.Fatalf("want a WasmPlugin and an EnvoyFilter, got\n%s", printed)
	}
	s.apply(t, s.shipped(t, classic.folder, nil))
	eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
	for _, doc := range s.shipped(t, "wasmplugin", nil) { // the EnvoyFilter that the printed comment names
		if doc["kind"] == "EnvoyFilter" {
			docs = append(docs, doc)
		}
	}
	s.apply(t, docs)
	g := s.startGateway(t, classic)
	const requests = 30
	eventually(t, "requests are recorded", func() bool {
		g.ask(t, story(0), "Hello")
		return strings.Contains(g.agent.text(), "wr1;t=")
	})
	for n := range requests {
		if r := g.ask(t, story(n%5), fmt.Sprint("Question ", n)); r.status != http.StatusOK {
			t.Fatalf("request %d: status %d: %s", n, r.status, r.body)
		}
	}
	eventually(t, "each request is recorded once, beside the mesh's access log", func() bool {
		log := g.agent.text()
		decided := strings.Count(log, "policy=join_shortest_queue;")
		return decided > requests && strings.Count(log, "wr1;t=") == decided
	})
	log := g.agent.text()
	if strings.Contains(log, "river") || strings.Contains(log, "Question") {
		t.Error("the log has text of the prompts")
	}
	file := filepath.Join(t.TempDir(), "gateway.log")
	if err := os.WriteFile(file, []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command("../../build/hostsim", "advise", "--trace", file, "--replicas", "3").CombinedOutput()
	if want := fmt.Sprintf("Recorded by the module: %d requests", strings.Count(log, "wr1;t=")); err != nil || !strings.Contains(string(said), want) {
		t.Errorf("hostsim advise: %v, want %q\n%s", err, want, said)
	}
}
