//go:build e2eistio

package e2e

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/registry"
)

// What the shipped files say, and where the tests have it.
const (
	shippedImage    = "registry.example.com/warmroute:0.1.0"
	registryAddress = controlIP + ":5000" // taken for a registry without TLS, being private
	moduleTag       = "0.1.0"
	brokenTag       = "broken" // holds no module
	trappingTag     = "traps"  // holds one that traps at every request
	absentTag       = "absent" // is not there
)

// startRegistry serves a registry with images of the module and of two that do not work, each made by the command that
// ./build.sh image runs.
func (s *stack) startRegistry() error {
	module, err := os.ReadFile("../../build/warmroute.wasm")
	if err != nil {
		return fmt.Errorf("./build.sh build makes the module: %w", err)
	}
	listener, err := net.Listen("tcp", registryAddress)
	if err != nil {
		return err
	}
	go func() { _ = http.Serve(listener, registry.New(registry.Logger(log.New(io.Discard, "", 0)))) }()
	for tag, content := range map[string][]byte{
		moduleTag: module, brokenTag: []byte("\x00asm this is no module"), trappingTag: trapping(),
	} {
		file := filepath.Join(s.dir, tag+".wasm")
		if err := os.WriteFile(file, content, 0o600); err != nil {
			return err
		}
		push := exec.Command(absolute("../../build/hostsim"), "image", "--wasm", file, "--out", file+".image",
			"--push", registryAddress+"/warmroute:"+tag)
		if out, err := push.CombinedOutput(); err != nil {
			return fmt.Errorf("hostsim image: %w: %s", err, out)
		}
	}
	return nil
}
