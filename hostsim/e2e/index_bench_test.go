//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/gateway"
)

// BenchmarkSharedIndex runs the guest of plugin/share/testdata/guest in a real Envoy, and prints what it logs: a pick at 64
// endpoints and a million blocks, and the two structures of an index that workers share. TINYGO names the compiler.
func BenchmarkSharedIndex(b *testing.B) {
	guest := filepath.Join(b.TempDir(), "guest.wasm")
	build := exec.Command("plugin/toolchain/module.sh", guest, "./plugin/share/testdata/guest")
	build.Dir = root
	if text, err := build.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v\n%s", build, err, text)
	}
	g, err := gateway.Start(b.Context(), gateway.Options{
		Envoy: os.Getenv("ENVOY"), Wasm: guest, Config: root + "examples/envoy/endpoint.yaml",
		Replicas: []string{"127.0.0.1:1", "127.0.0.1:2", "127.0.0.1:3"},
	})
	if err != nil {
		b.Fatal(err)
	}
	defer g.Close()
	lines := 0
	for line := range strings.Lines(g.Log()) {
		if _, measured, ok := strings.Cut(line, "measured "); ok {
			fmt.Println(strings.TrimSpace(measured))
			lines++
		}
	}
	if lines == 0 {
		b.Errorf("the guest measured nothing:\n%s", g.Log())
	}
}
