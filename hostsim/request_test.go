package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/plugin/config"
)

const (
	replayConfig = "../testdata/config/replay.json"
	builtModule  = "../build/warmroute.wasm" // ./build.sh build makes it
	chatBody     = "../testdata/requests/chat-multi-turn.json"
)

// hostsim runs the command line, with the module that was built.
func hostsim(stdin string, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = run(args, strings.NewReader(stdin), &out, &errs)
	return status, out.String(), errs.String()
}

// request is `hostsim request` on either engine.
func request(stdin, engine string, args ...string) (status int, stdout, stderr string) {
	return hostsim(stdin, append([]string{"request", "--engine", engine, "--wasm", builtModule}, args...)...)
}

func write(t *testing.T, name, text string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// Both engines say the same, whether the body comes from a file or from standard input, whole or in parts.
func TestRequest(t *testing.T) {
	body, err := os.ReadFile(chatBody)
	if err != nil {
		t.Fatal(err)
	}
	status, want, errs := request("", "native", "--config", replayConfig, "--body", chatBody)
	if status != 0 || errs != "" {
		t.Fatalf("status %d, %s", status, errs)
	}
	for _, field := range []string{"policy                 prefix_hash", "reason                 home", "endpoint               10.0.0.", "bound "} {
		if !strings.Contains(want, field) {
			t.Errorf("%q is missing in\n%s", field, want)
		}
	}
	for _, c := range []struct {
		engine, stdin string
		args          []string
	}{
		{"wasm", "", []string{"--body", chatBody}},
		{"wasm", string(body), []string{"--body", "-"}},
		{"wasm", string(body), []string{"--body", "-", "--chunk", "7"}},
		{"native", string(body), []string{"--body", "-", "--chunk", "7"}},
	} {
		status, got, errs := request(c.stdin, c.engine, append(c.args, "--config", replayConfig)...)
		if status != 0 || got != want {
			t.Errorf("%s %v: status %d, %s\ngot\n%swant\n%s", c.engine, c.args, status, errs, got, want)
		}
	}
}

// A pool whose endpoints only a running Envoy knows is named, rather than said not to be the request's.
func TestRequestOfADiscoveringPool(t *testing.T) {
	pools := write(t, "c.json", `{"pools": [{"name": "found", "match": {"models": ["m"]}, "discovery": {"cluster": "c"}},
		{"name": "listed", "match": {"models": ["l"]}, "endpoints": ["10.0.0.1:80"], "steer": {"cluster": "d"}}]}`)
	for model, want := range map[string]string{"m": "the pools found passes here too", "l": ""} {
		status, out, errs := request(fmt.Sprintf(`{"model": %q, "messages": [{"role": "user", "content": "a"}]}`, model), "native", "--config", pools, "--body", "-")
		if (status == 0) != (want == "") || !strings.Contains(errs, want) || status == 0 && !strings.Contains(out, "10.0.0.1:80") {
			t.Errorf("%s: status %d, %s%s, want %q", model, status, out, errs, want)
		}
	}
}

// All that any policy prints has a meaning beside it.
func TestRequestExplainsEveryPolicy(t *testing.T) {
	for p := range config.Policies {
		file := write(t, "c.json", fmt.Sprintf(`{"policy": %q, "endpoints": ["10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"], "seed": 7}`, p))
		status, out, errs := request("", "native", "--config", file, "--body", chatBody)
		if status != 0 || !strings.Contains(out, p.String()) {
			t.Errorf("%v: status %d, %s%s", p, status, out, errs)
		}
		for line := range strings.Lines(out) {
			if len(strings.Fields(line)) < 3 {
				t.Errorf("%v: no meaning: %s", p, line)
			}
		}
	}
}

// What the shadow would have done is shown beside the decision, by both engines alike.
func TestRequestShowsTheShadow(t *testing.T) {
	file := write(t, "c.json", `{"policy": "round_robin", "shadow": "prefix_hash", "endpoints": ["10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80"], "seed": 7}`)
	_, want, _ := request("", "native", "--config", file, "--body", chatBody)
	status, got, errs := request("", "wasm", "--config", file, "--body", chatBody)
	if status != 0 || got != want {
		t.Errorf("status %d, %s\nwasm\n%snative\n%s", status, errs, got, want)
	}
	for _, field := range []string{"shadow                 prefix_hash", "shadow_reason          home", "shadow_endpoint        10.0.0."} {
		if !strings.Contains(got, field) {
			t.Errorf("%q is missing in\n%s", field, got)
		}
	}
}

// What is read of headers and paths, by the module as by the native code.
func TestRequestHeadersAndPaths(t *testing.T) {
	yaml := write(t, "c.yaml", "policy: session_affinity\nendpoints: ['10.0.0.1:80', '10.0.0.2:80']\nseed: 7\npaths: [{path: '/{team}/**'}]\n")
	for _, engine := range []string{"wasm", "native"} {
		key := func(args ...string) string {
			t.Helper()
			status, out, errs := request(`{"prompt":"hello"}`, engine, append(args, "--config", yaml, "--body", "-")...)
			if status != 0 {
				t.Fatalf("%s %v: status %d, %s", engine, args, status, errs)
			}
			_, key, _ := strings.Cut(out, "\nkey ")
			key, _, _ = strings.Cut(strings.TrimSpace(key), " ")
			return key
		}
		one := key("--path", "/v1/completions", "-H", "x-session-id: a")
		if one == "" || key("--path", "/v1/completions", "--header", "X-Session-ID:a") != one {
			t.Errorf("%s: a session's key is %q, and another in capitals", engine, one)
		}
		if key("--path", "/red/v1/completions", "-H", "x-session-id: a") != one {
			t.Errorf("%s: not the same behind a prefix", engine)
		}
		if key("--path", "/v1/completions", "-H", "x-session-id: b") == one {
			t.Errorf("%s: another session has the same key", engine)
		}
		if key("--path", "/red/blue/v1/completions", "-H", "x-session-id: a") != "" {
			t.Errorf("%s: a prefix of two segments is taken for one", engine)
		}
	}
}

func TestRequestExplainsWhatItCannotRead(t *testing.T) {
	for _, engine := range []string{"wasm", "native"} {
		for _, c := range []struct{ stdin, path, want string }{
			{`{"messages":[`, "/v1/chat/completions", "the body is not JSON, or is cut short"},
			{`{"messages":[`, "/v1/chat/completions", "least loaded, as the prompt was not gone by"},
			{`{"messages":7}`, "/v1/chat/completions", "the body is JSON, but not what the path takes"},
			{`{"input":"x"}`, "/v1/embeddings", "there is no prompt"},
			{``, "/v1/completions", "the request has no body"},
			{`{}`, "/v1/models", "passed on unsteered"},
		} {
			status, out, errs := request(c.stdin, engine, "--config", replayConfig, "--path", c.path, "--body", "-")
			if status != 0 || !strings.Contains(out, c.want) {
				t.Errorf("%s, %s at %s: status %d, %s; want %q in\n%s", engine, c.stdin, c.path, status, errs, c.want, out)
			}
		}
	}
}

func TestRequestErrors(t *testing.T) {
	bad := write(t, "c.json", `{"endpoints": ["10.0.0.1:80"], "prefix_hash": {"load_factor": 0.5}}`)
	broken := write(t, "c.yaml", "endpoints: [")
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{1, "nowhere.json: no such file", []string{"--config", "nowhere.json", "--body", chatBody}},
		{1, "nothing.json: no such file", []string{"--config", replayConfig, "--body", "nothing.json"}},
		{1, `header: "x-session-id" is not name:value`, []string{"--config", replayConfig, "--body", chatBody, "-H", "x-session-id"}},
		{1, "prefix_hash.load_factor: 0.5 is below the minimum 1", []string{"--config", bad, "--body", chatBody}},
		{1, "c.yaml: ", []string{"--config", broken, "--body", chatBody}},
		{2, "missing flags: --body", []string{"--config", replayConfig}},
	} {
		for _, engine := range []string{"wasm", "native"} {
			status, out, errs := request("", engine, c.args...)
			if status != c.status || !strings.Contains(errs, c.want) || c.status == 1 && out != "" {
				t.Errorf("%s %v: status %d, %q, %q; want %d, %q", engine, c.args, status, out, errs, c.status, c.want)
			}
		}
	}
	status, _, errs := hostsim("", "request", "--wasm", "nowhere.wasm", "--config", replayConfig, "--body", chatBody)
	if status != 1 || !strings.Contains(errs, "./build.sh build makes the module") {
		t.Errorf("without a module: status %d, %s", status, errs)
	}
}
