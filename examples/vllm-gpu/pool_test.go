// Package vllmgpu has the tests of pool.sh on a machine that has no GPU: what it says where something is missing, and
// what it would start, with stand-ins for nvidia-smi and vllm.
package vllmgpu

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tools are what pool.sh uses of a system. PATH holds nothing else, so that a GPU of the machine is not seen.
var tools = []string{"bash", "env", "dirname", "cat", "cut", "sed", "wc", "awk", "grep", "tr", "head", "tail", "mkdir", "rm", "mv", "touch", "sleep", "setsid", "flock", "python3"}

// machine is a PATH and a place for tools, and how pool.sh is run there.
type machine struct {
	t     *testing.T
	path  string
	tools string // folder of what is installed
	env   []string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	m := &machine{t: t, path: t.TempDir(), tools: t.TempDir()}
	for _, name := range tools {
		at, err := exec.LookPath(name)
		if err != nil {
			t.Fatalf("%s is needed: %v", name, err)
		}
		if name == "python3" {
			at = python(t)
		}
		if err := os.Symlink(at, filepath.Join(m.path, name)); err != nil {
			t.Fatal(err)
		}
	}
	m.env = []string{"PATH=" + m.path, "HOME=" + t.TempDir(), "WARMROUTE_TOOLS=" + m.tools}
	return m
}

// python is the interpreter itself: what is on PATH may be a script that chooses one.
func python(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// fake puts a program on PATH.
func (m *machine) fake(name, script string) {
	m.t.Helper()
	if err := os.WriteFile(filepath.Join(m.path, name), []byte(script), 0o755); err != nil {
		m.t.Fatal(err)
	}
}

// hasModel lets pool.sh find a model, which it would make with vLLM's own packages.
func (m *machine) hasModel() {
	m.t.Helper()
	folder := filepath.Join(m.tools, "llama-3b-shape")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "made"), nil, 0o644); err != nil {
		m.t.Fatal(err)
	}
}

// pool runs pool.sh and returns its exit status and all it prints.
func (m *machine) pool(args ...string) (int, string) {
	m.t.Helper()
	cmd := exec.Command("bash", append([]string{"pool.sh"}, args...)...)
	cmd.Env = m.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// smi is an nvidia-smi that lists GPUs of so many MiB, and so many of them free.
func smi(gpus ...[2]int) string {
	script := "#!/bin/sh\n"
	for i, g := range gpus {
		script += fmt.Sprintf("echo '%d, NVIDIA Test, %d, %d'\n", i, g[0], g[1])
	}
	return script
}

func TestMissing(t *testing.T) {
	big := smi([2]int{81559, 81000})
	for _, c := range []struct {
		name, smi, vllm string
		env             string
		status          int
		says            []string
	}{
		{"no driver", "", "", "", 3, []string{"no GPU", "not on PATH"}},
		{"a driver that fails", "#!/bin/sh\necho NVIDIA-SMI has failed because it could not communicate >&2\nexit 9\n", "", "", 3, []string{"no GPU", "could not communicate"}},
		{"no card", "#!/bin/sh\n", "", "", 3, []string{"no GPU", "lists none"}},
		{"a small card", smi([2]int{15360, 15000}), "", "", 5, []string{"too little memory", "15360 MiB", "REPLICAS=1"}},
		{"a small card for one", smi([2]int{15360, 15000}), "#!/bin/sh\n", "REPLICAS=1", 0, []string{"NVIDIA Test"}},
		{"a card in use", smi([2]int{81559, 30000}), "", "", 5, []string{"too little memory", "30000 of 81559 MiB are free"}},
		{"the second card in use", smi([2]int{81559, 81000}, [2]int{81559, 100}), "", "", 5, []string{"GPU 1"}},
		{"the second card in use, and not needed", smi([2]int{81559, 81000}, [2]int{81559, 100}), "#!/bin/sh\n", "REPLICAS=1", 0, []string{"GPU:"}},
		{"no vLLM", big, "", "", 4, []string{"no vLLM", "pool.sh install"}},
		{"all there", big, "#!/bin/sh\n", "", 0, []string{"NVIDIA Test", "vLLM:"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			if c.smi != "" {
				m.fake("nvidia-smi", c.smi)
			}
			if c.vllm != "" {
				m.fake("vllm", c.vllm)
			}
			if c.env != "" {
				m.env = append(m.env, c.env)
			}
			status, out := m.pool("check")
			if status != c.status {
				t.Errorf("check: status %d, want %d: %s", status, c.status, out)
			}
			for _, want := range c.says {
				if !strings.Contains(out, want) {
					t.Errorf("check says %q; want %q in it", out, want)
				}
			}
			if c.status == 0 {
				return
			}
			if status, out := m.pool("start"); status != c.status {
				t.Errorf("start: status %d, want %d: %s", status, c.status, out)
			}
		})
	}
}

func TestUsage(t *testing.T) {
	m := newMachine(t)
	for _, c := range []struct {
		args   []string
		status int
	}{{nil, 2}, {[]string{"fly"}, 2}, {[]string{"help"}, 0}} {
		if status, out := m.pool(c.args...); status != c.status || !strings.Contains(out, "usage: pool.sh") {
			t.Errorf("%v: status %d, want %d and the usage: %s", c.args, status, c.status, out)
		}
	}
}

// server is a vllm that does nothing but answer: it shows its arguments and its GPU on stdout.
const server = `#!%s
import http.server, os, socketserver, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
    def log_message(self, *args):
        pass
print("gpu", os.environ["CUDA_VISIBLE_DEVICES"], *sys.argv[1:], flush=True)
socketserver.TCPServer.allow_reuse_address = True
socketserver.TCPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()
`

// Two servers on one GPU take 0.45 of it each; three on two GPUs share the first; what was started is stopped.
func TestStart(t *testing.T) {
	for _, c := range []struct {
		servers int
		gpus    [][2]int
		want    []string // of each server's log
	}{
		{2, [][2]int{{81559, 81000}}, []string{"gpu 0 .45", "gpu 0 .45"}},
		{3, [][2]int{{81559, 81000}, {81559, 81000}}, []string{"gpu 0 .45", "gpu 1 .90", "gpu 0 .45"}},
	} {
		t.Run(fmt.Sprint(c.servers), func(t *testing.T) {
			m := newMachine(t)
			m.fake("nvidia-smi", smi(c.gpus...))
			m.fake("vllm", fmt.Sprintf(server, python(t)))
			port := freePorts(t, c.servers)
			m.env = append(m.env, fmt.Sprint("PORT=", port), fmt.Sprint("REPLICAS=", c.servers))
			m.hasModel()
			status, out := m.pool("start")
			defer m.pool("stop")
			if status != 0 || strings.Count(out, " pid ") != c.servers {
				t.Fatalf("start: status %d: %s", status, out)
			}
			for i, want := range c.want {
				log, err := os.ReadFile(fmt.Sprintf("../../build/vllm-gpu/%d.log", i))
				if err != nil {
					t.Fatal(err)
				}
				gpu, share, _ := strings.Cut(want, " .")
				for _, part := range []string{gpu + " serve ", "--load-format dummy", "--gpu-memory-utilization 0." + share, fmt.Sprint("--port ", port+i)} {
					if !strings.Contains(string(log), part) {
						t.Errorf("server %d was started as %q; want %q in it", i, log, part)
					}
				}
			}
			if status, out := m.pool("start"); status != 0 {
				t.Errorf("a second start: status %d: %s", status, out)
			}
			if status, out := m.pool("stop"); status != 0 {
				t.Errorf("stop: status %d: %s", status, out)
			}
			if _, out := m.pool("status"); strings.Count(out, "stopped") != c.servers {
				t.Errorf("after stop: %s", out)
			}
		})
	}
}

// With a size of the KV memory, servers start together, each with a folder of its own to compile in.
func TestStartTogether(t *testing.T) {
	m := newMachine(t)
	m.fake("nvidia-smi", smi([2]int{81559, 81000}))
	// The first server answers only once the second has been started.
	m.fake("vllm", strings.Replace(fmt.Sprintf(server, python(t)), "socketserver.TCPServer.allow", `import time
print(os.environ["VLLM_CACHE_ROOT"], flush=True)
port = int(sys.argv[sys.argv.index("--port") + 1])
open(f"{os.environ['HOME']}/{port}", "w")
while not all(os.path.exists(f"{os.environ['HOME']}/{int(os.environ['PORT']) + i}") for i in range(2)):
    time.sleep(0.05)
socketserver.TCPServer.allow`, 1))
	m.env = append(m.env, fmt.Sprint("PORT=", freePorts(t, 2)), "KV_BLOCKS=2500", "SERVE_ARGS=--max-num-seqs 64")
	m.hasModel()
	status, out := m.pool("start")
	defer m.pool("stop")
	if status != 0 {
		t.Fatalf("start: status %d: %s", status, out)
	}
	for i := range 2 {
		log, err := os.ReadFile(fmt.Sprintf("../../build/vllm-gpu/%d.log", i))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"--kv-cache-memory-bytes 4587520000", "--max-num-seqs 64", fmt.Sprint("vllm-cache-", i)} {
			if !strings.Contains(string(log), part) {
				t.Errorf("server %d was started as %q; want %q in it", i, log, part)
			}
		}
	}
}

// A server that stops at its start is told at once, with its last words.
func TestStartFails(t *testing.T) {
	m := newMachine(t)
	m.fake("nvidia-smi", smi([2]int{81559, 81000}))
	m.fake("vllm", "#!/bin/sh\necho CUDA out of memory, say\nexit 1\n")
	m.hasModel()
	m.env = append(m.env, fmt.Sprint("PORT=", freePorts(t, 2)))
	status, out := m.pool("start")
	if status != 1 || !strings.Contains(out, "stopped at its start") || !strings.Contains(out, "CUDA out of memory, say") {
		t.Errorf("status %d: %s", status, out)
	}
}

// freePorts is the first of so many ports in a row that nobody listens on.
func freePorts(t *testing.T, n int) int {
	t.Helper()
search:
	for port := 23000 + rand.IntN(7000); port < 32000; port += n { // below those that are given to clients
		for i := range n {
			l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port+i))
			if err != nil {
				continue search
			}
			l.Close()
		}
		return port
	}
	t.Fatal("no free ports")
	return 0
}
