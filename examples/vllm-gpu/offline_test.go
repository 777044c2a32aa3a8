package vllmgpu

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
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

// Pieces come in several transfers; what is whole is unpacked at once. A missing and a broken piece are named.
func TestOfflineTake(t *testing.T) {
	work, store := t.TempDir(), filepath.Join(t.TempDir(), "store")
	shell(t, work, `mkdir -p site project first second && head -c 20000 /dev/urandom >project/noise && : >project/vllm &&
		mkdir -p site/vllm/entrypoints/cli &&
		echo 'import os, sys; print("vllm runs", os.environ.get("VLLM_USE_FLASHINFER_SAMPLER"), *sys.argv[1:])' >site/vllm/entrypoints/cli/main.py &&
		tar -cJf - site >first/vllm.tar.xz-000 && tar -cJf - project | split -b 9k -d -a 3 - first/tools.tar.xz- &&
		cd first && sha256sum *.tar.xz-* >SHA256SUMS && mv tools.tar.xz-001 ../second/ && cp SHA256SUMS ../second/`)
	out, err := offline(t, "take", filepath.Join(work, "first"), store)
	if err != nil || !strings.Contains(out, "missing or broken:  tools.tar.xz-001") {
		t.Fatalf("without a piece: %v, %s", err, out)
	}
	cmd, err := exec.Command(filepath.Join(store, "bin", "vllm"), "serve", "x").CombinedOutput()
	if err != nil || !strings.Contains(string(cmd), "vllm runs 0 serve x") {
		t.Errorf("vllm, before the tools are there: %v, %s", err, cmd)
	}
	broken := t.TempDir()
	shell(t, work, "cp second/SHA256SUMS "+broken+" && echo x >"+broken+"/tools.tar.xz-001")
	if out, err = offline(t, "take", broken, store); err != nil || !strings.Contains(out, "tools.tar.xz-001") {
		t.Errorf("a broken piece: %v, %s", err, out)
	}
	out, err = offline(t, "take", filepath.Join(work, "second"), store)
	if err != nil || !strings.Contains(out, "all there") {
		t.Fatalf("with all: %v, %s", err, out)
	}
	if noise, err := os.ReadFile(filepath.Join(store, "project", "noise")); err != nil || len(noise) != 20000 {
		t.Errorf("unpacked: %d bytes, %v", len(noise), err)
	}
	if out, err = offline(t, "take", filepath.Join(work, "project"), store); err == nil || !strings.Contains(out, "has no pieces") {
		t.Errorf("a folder without pieces: %v, %s", err, out)
	}
}

// A store is what take makes of the pieces, with a vllm that does nothing but answer and a hostsim that notes its arguments.
type store struct {
	t         *testing.T
	path, out string
	env       []string
}

func newStore(t *testing.T, env ...string) *store {
	t.Helper()
	m, path := newMachine(t), t.TempDir()
	shell(t, ".", "mkdir -p "+path+"/{bin,project/build,project/examples,tools/llama-3b-shape} && touch "+path+"/tools/llama-3b-shape/made && "+
		"cp -r ../compare ../vllm-cpu ../vllm-gpu "+path+"/project/examples/")
	answer := strings.Replace(fmt.Sprintf(server, python(t)), "self.end_headers()", `self.end_headers()
        self.wfile.write(b'vllm:cache_config_info{block_size="16",num_gpu_blocks="2500"} 1.0\n')`, 1)
	m.fake("nvidia-smi", "#!/bin/sh\ncase $* in *free*) echo '0, NVIDIA H200, 143771, 143000' ;; *) echo NVIDIA H200, 143771 MiB, 580 ;; esac\n")
	for name, script := range map[string]string{
		"bin/vllm": answer,
		"project/build/hostsim": `#!/bin/bash
echo "$*" >>hostsim.log
for ((i = 1; i < $#; i++)); do case ${!i} in --json | --out) next=$((i + 1)); echo '{}' >"${!next}" ;; esac; done
`,
	} {
		if err := os.WriteFile(filepath.Join(path, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s := &store{t: t, path: path, out: t.TempDir()}
	s.env = append(append(os.Environ(), "PATH="+m.path+":"+os.Getenv("PATH"), fmt.Sprint("PORT=", freePorts(t, 2)), "REPLICAS=2"), env...)
	t.Cleanup(func() { s.call("stop " + path) })
	return s
}

func (s *store) call(args string, more ...string) (string, error) {
	cmd := exec.Command("bash", "-c", "exec bash offline.sh "+args)
	cmd.Env = append(s.env[:len(s.env):len(s.env)], more...)
	said, err := cmd.CombinedOutput()
	return string(said), err
}

// run is offline.sh's, which must not fail.
func (s *store) run(more ...string) string {
	s.t.Helper()
	said, err := s.call("run "+s.path+" "+s.out, more...)
	if err != nil {
		s.t.Fatalf("run: %v: %s", err, said)
	}
	return said
}

// log checks that hostsim, and what else writes to its log, was called so often, with these parts in each call.
func (s *store) log(want [][]string) {
	s.t.Helper()
	log, err := os.ReadFile(filepath.Join(s.path, "project", "hostsim.log"))
	if err != nil {
		s.t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	if len(lines) != len(want) {
		s.t.Fatalf("%d calls, want %d: %s", len(lines), len(want), log)
	}
	for i := range want {
		for _, part := range want[i] {
			if !strings.Contains(lines[i], part) {
				s.t.Errorf("call %d is %q; want %q in it", i+1, lines[i], part)
			}
		}
	}
}

// A run starts the servers, calibrates, and compares a round of a workload at a time, each round in another order. A second
// run does what is missing.
func TestOfflineRun(t *testing.T) {
	s := newStore(t, "ROUNDS=2", "WORKLOADS=threads agents:192,,8000,6", "POLICIES=random,prefix_hash,cache_aware")
	if said := s.run("FOR=-1"); !strings.Contains(said, "no time is left for threads, round 1") {
		t.Errorf("without time: %s", said)
	}
	s.run()
	s.run() // all is done
	s.log([][]string{
		{"calibrate probe", "--profile h200-llama3b", "block_size=16,kv_blocks=2499,max_num_seqs=64"},
		{"compare", "--workloads threads", "--seed 1", "--policies random,prefix_hash,cache_aware", "--baseline random", "NVIDIA H200, 2 servers on 1 of them",
			"--requests 96 --concurrency 24 --output-tokens 32"},
		{"compare", "--workloads agents", "--seed 1", "--requests 192 --concurrency 24 --prompt-tokens 8000 --system-prompts 6 --output-tokens 32"},
		{"compare", "--workloads threads", "--seed 2", "--policies cache_aware,prefix_hash,random", "--baseline random"},
		{"compare", "--workloads agents", "--seed 2", s.out + "/agents-2/part.json"},
	})
	log, err := os.ReadFile(filepath.Join(s.path, "project", "hostsim.log"))
	if err != nil || strings.Contains(string(log), "--urls") || strings.Contains(string(log), "--isolation") {
		t.Errorf("without routers: %v, %s", err, log)
	}
}

// With routers in the store, they are started anew for each comparison, and stopped after it.
func TestOfflineRouters(t *testing.T) {
	s := newStore(t, "ROUNDS=2", "WORKLOADS=agents", "POLICIES=random,cache_aware", "PYTHONPATH=/here")
	if err := os.Mkdir(filepath.Join(s.path, "routers"), 0o755); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(s.path, "project/examples/compare/routers.sh")
	if err := os.WriteFile(script, []byte("#!/bin/bash\n[ $1 = urls ] && exec echo a=http://127.0.0.1:1\necho routers \"$*\" $ROUTERS $PYTHONPATH >>hostsim.log\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	s.run()
	start := []string{"routers start 127.0.0.1:", fmt.Sprintf("%s/routers %s/site:/here", s.path, s.path)}
	compare := []string{"compare", "--policies", "--urls a=http://127.0.0.1:1 --isolation reset"}
	stop := []string{"routers stop"}
	s.log([][]string{{"calibrate"}, start, compare, stop, start, compare, stop, stop}) // once more, in case that a comparison fails

	if err := os.WriteFile(script, []byte("#!/bin/bash\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if said, err := s.call("run "+s.path+" "+s.out, "ROUNDS=3"); err == nil || !strings.Contains(said, "the routers do not start") {
		t.Errorf("routers that do not start: %v, %s", err, said)
	}
}

// Of two that start at a time one makes the model and starts the servers; the other waits, and finds them running.
func TestOfflineStartTwice(t *testing.T) {
	s := newStore(t, "KV_BLOCKS=")
	shell(t, s.path, "rm -r tools/llama-3b-shape")
	made := filepath.Join(s.path, "made.log")
	if err := os.WriteFile(filepath.Join(s.path, "bin/python"), []byte("#!/bin/bash\necho made >>"+made+"; sleep 0.5; exec mkdir \"$2\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var said [2]string
	var errs [2]error
	var both sync.WaitGroup
	for i := range said {
		both.Go(func() { said[i], errs[i] = s.call("start " + s.path) })
	}
	both.Wait()
	pids := regexp.MustCompile(`vllm-\d 127.0.0.1:\d+ pid \d+`)
	first, second := pids.FindAllString(said[0], -1), pids.FindAllString(said[1], -1)
	if errs[0] != nil || errs[1] != nil || len(first) != 2 || !slices.Equal(first, second) {
		t.Errorf("%v: %s\n%v: %s", errs[0], said[0], errs[1], said[1])
	}
	if log, _ := os.ReadFile(made); string(log) != "made\n" {
		t.Errorf("the model was made so often: %q", log)
	}
	if parts, _ := filepath.Glob(filepath.Join(s.path, "tools/*")); len(parts) != 1 {
		t.Errorf("left behind: %v", parts)
	}
}

func TestOfflineWorkloads(t *testing.T) {
	for workloads, want := range map[string]string{
		"agents:1,2,3,4,5":   `"agents:1,2,3,4,5" is not NAME`,
		"agents:many":        `"agents:many" is not NAME`,
		"threads agents,1":   `"agents,1" is not NAME`,
		"agents:96 agents:2": "agents is there twice",
	} {
		cmd := exec.Command("bash", "offline.sh", "run", t.TempDir(), t.TempDir())
		cmd.Env = append(os.Environ(), "WORKLOADS="+workloads)
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 2 || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %s; want %q", workloads, err, out, want)
		}
	}
}

// What the GPU machine has, by whatever spelling, is not packed. A module stays as it is where this Python cannot import it.
func TestPack(t *testing.T) {
	work := t.TempDir()
	source := ". ./pack.sh; "
	out, err := exec.Command("bash", "-c", source+`printf '%s\n' numpy==2 Typing_Extensions==4 nvidia-cublas==13 orjson==3 | without <(printf 'NumPy\n\ntyping-extensions==1') nvidia`).CombinedOutput()
	if err != nil || string(out) != "orjson==3\n" {
		t.Errorf("without: %v, %q", err, out)
	}
	out, err = exec.Command("bash", "-c", "here=$PWD; "+source+`echo "$(pinned VLLM_ROUTER)" "$(pinned SGLANG_ROUTER)"`).CombinedOutput()
	if want := regexp.MustCompile(`^\d+\.\d+\.\d+ \d+\.\d+\.\d+\n$`); err != nil || !want.Match(out) {
		t.Errorf("pinned: %v, %q", err, out)
	}
	shell(t, ".", source+`cp "$(type -P true)" `+work+`/no_module.abi3.so && cp `+work+`/no_module.abi3.so `+work+`/before && strip_modules `+work+` && cmp `+work+`/before `+work+`/no_module.abi3.so`)
	if files, _ := os.ReadDir(work); len(files) != 2 {
		t.Errorf("left behind: %v", files)
	}
}

func TestOfflineUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"fly"}, {"pack"}, {"run"}, {"run", "store"}, {"start"}, {"table"}} {
		if out, err := offline(t, args...); err == nil || !strings.Contains(out, "usage: offline.sh") {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
}

// entry is code for one architecture in a container of CUDA code; kind 1 is PTX, 2 machine code.
type entry struct {
	kind uint16
	arch uint32
	size int
}

// library is an ELF file with nothing but containers of CUDA code, whose contents are all 'x'.
func library(containers ...[]entry) []byte {
	le := binary.LittleEndian
	var code []byte
	for _, entries := range containers {
		var body []byte
		for _, e := range entries {
			head := make([]byte, 64)
			le.PutUint16(head, e.kind)
			le.PutUint32(head[4:], 64)
			le.PutUint64(head[8:], uint64(e.size))
			le.PutUint32(head[28:], e.arch)
			body = append(append(body, head...), bytes.Repeat([]byte("x"), e.size)...)
		}
		head := make([]byte, 16)
		le.PutUint32(head, 0xBA55ED50)
		le.PutUint16(head[6:], 16)
		le.PutUint64(head[8:], uint64(len(body)))
		code = append(append(append(code, head...), body...), make([]byte, 8)...) // and a gap
	}
	names := []byte("\x00.nv_fatbin\x00.shstrtab\x00")
	file := make([]byte, 64)
	le.PutUint64(file[40:], uint64(64+len(code)+len(names)))
	le.PutUint16(file[58:], 64)
	le.PutUint16(file[60:], 2)
	le.PutUint16(file[62:], 1)
	file = append(append(file, code...), names...)
	for _, s := range []struct {
		name         uint32
		offset, size int
	}{{1, 64, len(code)}, {12, 64 + len(code), len(names)}} {
		row := make([]byte, 64)
		le.PutUint32(row, s.name)
		le.PutUint64(row[24:], uint64(s.offset))
		le.PutUint64(row[32:], uint64(s.size))
		file = append(file, row...)
	}
	return file
}

// Machine code of one card stays; of a container without it, small PTX that its driver compiles. Nothing moves.
func TestOneArch(t *testing.T) {
	before := library(
		[]entry{{2, 80, 1000}, {2, 90, 3000}, {1, 90, 500}}, // 3000 stay
		[]entry{{1, 80, 700}, {2, 80, 900}, {1, 100, 40}},   // 700
		[]entry{{1, 80, 200_000}},                           // 0
	)
	path := filepath.Join(t.TempDir(), "library.so")
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("python3", "one-arch.py", "90", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(after) != len(before) {
		t.Fatalf("%d bytes, want %d", len(after), len(before))
	}
	if n := bytes.Count(after, []byte("x")); n != 3700 {
		t.Errorf("%d bytes of code are left, want 3700", n)
	}
	for i := range after {
		if after[i] != before[i] && before[i] != 'x' {
			t.Fatalf("byte %d, which is no code, changed", i)
		}
	}
}

// The requests of the rounds unpack beside what either card measured, a file for each round.
func TestRequests(t *testing.T) {
	for card, rounds := range map[string]int{"h100": 10, "h200": 10, "h100-routers": 6} {
		folder := t.TempDir()
		if out, err := exec.Command("bash", "requests.sh", card, folder).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		requests, _ := filepath.Glob(filepath.Join(folder, "*", "*-[1-4].jsonl"))
		results, _ := filepath.Glob(filepath.Join(folder, "*", "result.json"))
		if len(requests) != rounds || len(results) != 3 {
			t.Errorf("%s: %d rounds and %d results, want %d and 3", card, len(requests), len(results), rounds)
		}
		if out, err := exec.Command("bash", "requests.sh", "h100", folder).CombinedOutput(); err == nil || !strings.Contains(string(out), "is not empty") {
			t.Errorf("into a folder that has those of %s: %v, %s", card, err, out)
		}
	}
	if out, err := exec.Command("bash", "requests.sh", "h300", t.TempDir()).CombinedOutput(); err == nil {
		t.Errorf("an unknown card: %s", out)
	}
}

// A prompt that waits for memory is looked up again and again, and the servers count each time: what was cached is by the usage.
func TestFidelityHitRate(t *testing.T) {
	out, err := exec.Command("python3", "../vllm-cpu/fidelity.py", "results/h100-routers/agents.json").CombinedOutput()
	if want := regexp.MustCompile(`(?m)^lru_match .* 83\.4  +–$`); err != nil || !want.Match(out) {
		t.Errorf("%v: %s", err, out)
	}
}
