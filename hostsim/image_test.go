package main

import (
	"io"
	"log"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
)

// The command tells the digest, the same each time, and where the image can be pulled from.
func TestImage(t *testing.T) {
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	out := filepath.Join(t.TempDir(), "image")
	repository := strings.TrimPrefix(server.URL, "http://") + "/warmroute"
	status, first, errs := hostsim("", "image", "--wasm", builtModule, "--out", out, "--version", "v1")
	if status != 0 {
		t.Fatalf("status %d, %s", status, errs)
	}
	_, digest, _ := strings.Cut(strings.TrimSpace(first), " ")
	if !strings.HasPrefix(digest, "sha256:") {
		t.Fatalf("no digest in %q", first)
	}
	status, second, errs := hostsim("", "image", "--wasm", builtModule, "--out", out, "--version", "v1", "--push", repository+":v1")
	if want := first + "oci://" + repository + "@" + digest + "\n"; status != 0 || second != want {
		t.Errorf("status %d, %s\ngot  %swant %s", status, errs, second, want)
	}
	if status, _, errs := hostsim("", "image", "--wasm", builtModule, "--out", out, "--push", ""); status != 2 || !strings.Contains(errs, "--push is given and empty") {
		t.Errorf("status %d, %q: nothing is pushed, and that is not said", status, errs)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--wasm", "nowhere.wasm"}, "./build.sh build makes the module"},
		{[]string{"--wasm", "image.go"}, "image.go: "},
		{[]string{"--wasm", builtModule, "--push", "not a reference"}, "could not parse reference"},
	} {
		if status, _, errs := hostsim("", append([]string{"image", "--out", out}, c.args...)...); status != 1 || !strings.Contains(errs, c.want) {
			t.Errorf("%v: status %d, %q; want %q", c.args, status, errs, c.want)
		}
	}
}
