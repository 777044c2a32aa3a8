// Package compare has the tests of routers.sh, with stand-ins for the routers and the servers.
package compare

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// router is a launch_router that knows its servers from the second question on, and forwards from the second POST on.
const router = `import http.server, json, socketserver, sys
import elsewhere
asked = {"GET": 0, "POST": 0}
servers = sys.argv[sys.argv.index("--worker-urls") + 1:]
class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, least):
        asked[self.command] += 1
        ready = asked[self.command] >= least
        self.send_response(200 if ready or self.command == "GET" else 503)
        self.end_headers()
        self.wfile.write(json.dumps({"workers": [{"url": s, "is_healthy": ready} for s in servers]}).encode())
        print(self.command, self.path, ready, flush=True)
    def do_GET(self):
        self.answer(2)
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(2)
    def log_message(self, *args):
        pass
print(*sys.argv[1:], flush=True)
socketserver.TCPServer.allow_reuse_address = True
socketserver.TCPServer(("127.0.0.1", int(sys.argv[sys.argv.index("--port") + 1])), Handler).serve_forever()
`

// place is a copy of the scripts, so that routers of the working tree go on, with stand-ins for what install would fetch.
type place struct {
	t       *testing.T
	root    string
	port    int
	servers string
	env     []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{t: t, root: t.TempDir(), port: freePort(t)}
	for _, name := range []string{"routers.sh", "servers.sh"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p.write("examples/compare/"+name, string(text))
	}
	p.write("routers/vllm_router/launch_router.py", router)
	p.write("routers/sglang_router/launch_router.py", router)
	p.write("site/elsewhere.py", "")
	var servers []string
	for range 2 {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data": [{"id": "tiny"}]}`) }))
		t.Cleanup(s.Close)
		servers = append(servers, strings.TrimPrefix(s.URL, "http://"))
	}
	p.servers = strings.Join(servers, ",")
	p.env = append(os.Environ(), "ROUTERS="+filepath.Join(p.root, "routers"), "PYTHONPATH="+filepath.Join(p.root, "site"), fmt.Sprint("ROUTERS_PORT=", p.port), "ROUTERS_KINDS=")
	t.Cleanup(func() { p.routers("stop") })
	return p
}

func (p *place) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

// routers runs routers.sh and returns its exit status and all it prints.
func (p *place) routers(args ...string) (int, string) {
	p.t.Helper()
	cmd := exec.Command("bash", append([]string{filepath.Join(p.root, "examples/compare/routers.sh")}, args...)...)
	cmd.Env = p.env
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func (p *place) log(kind string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.root, "build/routers", kind+".log"))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// freePort is the first of three ports that nobody listens on, nor on those ten above.
func freePort(t *testing.T) int {
	t.Helper()
search:
	for port := 23000 + rand.IntN(7000); port < 32000; port += 20 { // below those that are given to clients
		for _, i := range []int{0, 1, 2, 10, 11, 12} {
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

var pids = regexp.MustCompile(`pid (\d+)`)

// Start waits until each router forwards to all servers; a second start replaces what runs; stop leaves nothing.
func TestRouters(t *testing.T) {
	p := newPlace(t)
	status, first := p.routers("start", p.servers)
	if status != 0 || len(pids.FindAllString(first, -1)) != 2 {
		t.Fatalf("start: status %d: %s", status, first)
	}
	urls := "http://" + strings.ReplaceAll(p.servers, ",", " http://")
	for i, kind := range []string{"vllm_router", "sglang_router"} {
		log := p.log(kind)
		want := fmt.Sprintf("--host 127.0.0.1 --port %d --prometheus-host 127.0.0.1 --prometheus-port %d --worker-urls %s\n", p.port+i, p.port+i+10, urls)
		if !strings.HasPrefix(log, want) {
			t.Errorf("%s was started as %q, want %q", kind, log, want)
		}
		if !strings.HasSuffix(log, "POST /v1/chat/completions False\nGET /workers True\nPOST /v1/chat/completions True\n") {
			t.Errorf("start did not wait until %s forwards: %s", kind, log)
		}
	}
	want := fmt.Sprintf("vllm_router=http://127.0.0.1:%d,sglang_router=http://127.0.0.1:%d\n", p.port, p.port+1)
	if _, out := p.routers("urls"); out != want {
		t.Errorf("urls: %q, want %q", out, want)
	}

	p.env = append(p.env, "ROUTERS_KINDS=sglang_router vllm_router_hash")
	status, second := p.routers("start", p.servers)
	if status != 0 || len(pids.FindAllString(second, -1)) != 2 {
		t.Fatalf("start of other kinds: status %d: %s", status, second)
	}
	for _, pid := range pids.FindAllStringSubmatch(first, -1) {
		if _, err := os.Stat("/proc/" + pid[1]); err == nil {
			t.Errorf("process %s of the first start goes on: %s, %s", pid[1], first, second)
		}
	}
	if log := p.log("vllm_router_hash"); !strings.Contains(log, fmt.Sprintf("--port %d ", p.port+2)) || !strings.Contains(log, "--policy consistent_hash") {
		t.Errorf("vllm_router_hash was started as %q", log)
	}
	want = fmt.Sprintf("sglang_router=http://127.0.0.1:%d,vllm_router_hash=http://127.0.0.1:%d\n", p.port+1, p.port+2)
	if _, out := p.routers("urls"); out != want {
		t.Errorf("urls: %q, want %q", out, want)
	}
	if status, out := p.routers("stop"); status != 0 {
		t.Errorf("stop: status %d: %s", status, out)
	}
	if _, out := p.routers("status"); out != "sglang_router stopped\nvllm_router_hash stopped\n" {
		t.Errorf("after stop: %s", out)
	}
}

// A router that stops at its start is told with its last words, and the others do not go on.
func TestRouterDies(t *testing.T) {
	p := newPlace(t)
	p.write("routers/sglang_router/launch_router.py", "raise SystemExit('no such policy, say')")
	status, out := p.routers("start", p.servers)
	if status != 1 || !strings.Contains(out, "sglang_router stopped at its start") || !strings.Contains(out, "no such policy, say") {
		t.Errorf("status %d: %s", status, out)
	}
	if _, out := p.routers("status"); strings.Count(out, "stopped") != 2 {
		t.Errorf("afterwards: %s", out)
	}
}

func TestRoutersRefuse(t *testing.T) {
	p := newPlace(t)
	taken, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", p.port+11))
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	empty := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"data": []}`) }))
	defer empty.Close()
	for _, c := range []struct {
		args   []string
		env    string
		status int
		says   []string
	}{
		{nil, "", 2, []string{"usage: routers.sh"}},
		{[]string{"fly"}, "", 2, []string{"usage: routers.sh", "wrong arguments: fly"}},
		{[]string{"start"}, "", 2, []string{"usage: routers.sh"}},
		{[]string{"start", "8101"}, "", 2, []string{"usage: routers.sh", `"8101" is not IP:PORT`}},
		{[]string{"stop", "vllm_router"}, "", 2, []string{"usage: routers.sh"}},
		{[]string{"help"}, "", 0, []string{"usage: routers.sh"}},
		{[]string{"urls"}, "ROUTERS_KINDS=envoy", 2, []string{`ROUTERS_KINDS: there is no "envoy"`}},
		{[]string{"urls"}, "ROUTERS_KINDS= ", 2, []string{"ROUTERS_KINDS is empty"}},
		{[]string{"urls"}, "ROUTERS_KINDS=vllm_router vllm_router", 2, []string{"ROUTERS_KINDS: vllm_router is there twice"}},
		{[]string{"urls"}, "ROUTERS_PORT=http", 2, []string{`ROUTERS_PORT: "http" is not a port`}},
		{[]string{"urls"}, "ROUTERS_PORT=65530", 2, []string{`ROUTERS_PORT: "65530" is not a port`}},
		{[]string{"urls"}, "ROUTERS_PORT=08301", 2, []string{`ROUTERS_PORT: "08301" is not a port`}},
		{[]string{"start", ""}, "", 2, []string{"usage: routers.sh", `"" is not IP:PORT`}},
		{[]string{"start", strings.TrimPrefix(empty.URL, "http://")}, "", 1, []string{"a server does not answer", "it lists no model\n"}},
		{[]string{"start", p.servers}, "", 1, []string{fmt.Sprintf("port %d is taken", p.port+11), "ROUTERS_PORT"}},
		{[]string{"start", fmt.Sprint("127.0.0.1:", p.port)}, "", 1, []string{"a server does not answer", fmt.Sprint("127.0.0.1:", p.port)}},
		{[]string{"install"}, "ROUTERS=" + filepath.Join(p.root, "site"), 1, []string{"site has no sglang_router"}},
	} {
		q := *p
		q.env = append(q.env[:len(q.env):len(q.env)], c.env)
		status, out := q.routers(c.args...)
		if status != c.status {
			t.Errorf("%v with %q: status %d, want %d: %s", c.args, c.env, status, c.status, out)
		}
		for _, want := range c.says {
			if !strings.Contains(out, want) {
				t.Errorf("%v with %q says %q; want %q in it", c.args, c.env, out, want)
			}
		}
	}
}
