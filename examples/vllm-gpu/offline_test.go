package vllmgpu

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func offline(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("bash", append([]string{"offline.sh"}, args...)...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func shell(t *testing.T, dir, script string) {
	t.Helper()
	cmd := exec.Command("bash", "-c", script)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
}

// wheel is a distribution with a torch that sees a GPU and a vllm: what installing and importing is tried with.
func wheel(t *testing.T, path string) {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, text := range map[string]string{
		"torch.py":                            "__version__ = '2.11.0'\nclass cuda:\n    is_available = staticmethod(lambda: True)\n    get_device_name = staticmethod(lambda i: 'Test GPU')\n",
		"vllm.py":                             "__version__ = '0.26.0'\n",
		"standin-1.0.dist-info/METADATA":      "Metadata-Version: 2.1\nName: standin\nVersion: 1.0\n",
		"standin-1.0.dist-info/WHEEL":         "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
		"standin-1.0.dist-info/RECORD":        "",
		"standin-1.0.dist-info/top_level.txt": "torch\nvllm\n",
	} {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Pieces come in several transfers; the last one installs. A missing and a broken piece are named.
func TestOfflineTake(t *testing.T) {
	work, store := t.TempDir(), filepath.Join(t.TempDir(), "store")
	for _, dir := range []string{"wheels", "project/build", "first", "second"} {
		if err := os.MkdirAll(filepath.Join(work, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	wheel(t, filepath.Join(work, "wheels", "standin-1.0-py3-none-any.whl"))
	shell(t, work, `tar -cf - wheels project | split -b 4k -d -a 3 - first/piece- && cd first && sha256sum piece-* >SHA256SUMS &&
		mv piece-001 ../second/ && cp SHA256SUMS ../second/`)
	out, err := offline(t, "take", filepath.Join(work, "first"), store)
	if err != nil || !strings.Contains(out, "missing or broken: 1 of") || !strings.Contains(out, "piece-001") {
		t.Fatalf("without a piece: %v, %s", err, out)
	}
	out, err = offline(t, "take", filepath.Join(work, "second"), store)
	if err != nil || !strings.Contains(out, "vllm 0.26.0 torch 2.11.0 Test GPU") {
		t.Fatalf("with all: %v, %s", err, out)
	}
	if err := os.WriteFile(filepath.Join(work, "second", "piece-001"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err = offline(t, "take", filepath.Join(work, "second"), store); err != nil || !strings.Contains(out, "piece-001") {
		t.Errorf("a broken piece: %v, %s", err, out)
	}
	if out, err = offline(t, "take", filepath.Join(work, "project"), store); err == nil || !strings.Contains(out, "has no pieces") {
		t.Errorf("a folder without pieces: %v, %s", err, out)
	}
}

func TestOfflineUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"fly"}, {"pack"}, {"run"}, {"table"}} {
		if out, err := offline(t, args...); err == nil || !strings.Contains(out, "usage: offline.sh") {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
	page, err := os.ReadFile("../../docs/fidelity.md")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(page), "<!-- gpu -->\n") + strings.Count(string(page), "<!-- /gpu -->"); n != 2 {
		t.Errorf("docs/fidelity.md has %d of the two markers that offline.sh table writes between", n)
	}
}
