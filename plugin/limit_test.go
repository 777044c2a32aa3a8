package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
)

// Once the proxy has refused a body that it could not hold, no more is held than it can; what is left of a body is read as it passes.
func TestProxyThatHoldsLittle(t *testing.T) {
	host := started(t)
	if err := host.SetProperty([]string{"response", "code_details"}, []byte("request_payload_too_large")); err != nil {
		t.Fatal(err)
	}
	part := strings.Repeat("word ", 2000)
	begin := func(length string) uint32 {
		id := host.InitializeHttpContext()
		headers := postHeaders
		if length != "" {
			headers = append([][2]string{{"content-length", length}}, postHeaders...)
		}
		if got := host.CallOnRequestHeaders(id, headers, false); got != types.ActionPause {
			t.Errorf("headers: got action %v, want pause", got)
		}
		return id
	}
	held := func(id uint32) (parts int) {
		text := `{"model":"m","prompt":"` + strconv.Itoa(int(id)) // a new one: nothing is known of it before its end
		for host.CallOnRequestBody(id, []byte(text+part), false) == types.ActionPause && parts < 6 {
			text = ""
			parts++
		}
		return parts
	}
	refused := func(id uint32) {
		host.CallOnResponseHeaders(id, [][2]string{{":status", "413"}}, true)
		host.CompleteHttpContext(id)
	}
	if id := begin(""); held(id) != 6 {
		t.Error("a body is not held to begin with")
	} else {
		refused(id)
	}
	for _, c := range []struct {
		name, length string
		want         int
	}{
		{"no length", "", 0},
		{"one that has been held", "60000", 5},
		{"a longer one", "200000", 0},
	} {
		id := begin(c.length)
		if got := held(id); got != c.want {
			t.Errorf("%s: %d parts are held, want %d", c.name, got, c.want)
		}
		if !strings.HasPrefix(header(host.GetCurrentRequestHeaders(id), "x-gateway-destination-endpoint"), "10.0.0.") {
			t.Errorf("%s: it is not steered", c.name)
		}
		host.CompleteHttpContext(id)
	}
	id := begin("")
	host.CallOnRequestBody(id, []byte(`{"model":"m","prompt":"`+part), false) // the first part is all that it takes
	refused(id)
	if id := begin(""); held(id) != 0 {
		t.Error("more than the first part is held of a proxy that holds nothing")
	}
}

// What has no route, or one without a cluster, is the proxy's to answer: a long body of it is not held until that is 413, and says nothing of what
// others' routes hold. The proxy must be known to tell clusters. (Envoy: TestLongBodiesThatLeadNowhere in hostsim/e2e.)
func TestWhatLeadsNowhereIsNotHeld(t *testing.T) {
	host := started(t)
	stream := func(steer config.Steer) *stream {
		p := &plugin{cfg: config.Config{Pool: config.Pool{Steer: steer}}}
		s := &stream{}
		s.plugin, s.shown = p, 1000
		return s
	}
	s := stream(config.Steer{})
	for range 2 * mostAsked {
		if s.askCluster(); s.overflows() {
			t.Fatal("a proxy that tells no cluster is taken to have no route")
		}
	}
	if s.plugin.limits.asked != mostAsked {
		t.Errorf("it is asked %d times, want %d", s.plugin.limits.asked, mostAsked)
	}
	s.plugin.limits.named = true
	if !s.overflows() {
		t.Error("a long body is held for a request that leads nowhere")
	}
	if s.kept = 1000; s.overflows() {
		t.Error("the cluster is looked for with each part")
	}
	s.kept = 0
	if named := stream(config.Steer{Target: config.TargetCluster}); named.leadsNowhere() {
		t.Error("the decision is to name the cluster")
	}
	if err := host.SetProperty([]string{"xds", "cluster_name"}, []byte("vllm")); err != nil {
		t.Fatal(err)
	}
	if s.overflows() {
		t.Error("a long body is not held though its route has a cluster")
	}
	known := stream(config.Steer{})
	if known.askCluster(); !known.plugin.limits.named {
		t.Error("it is not known that the proxy tells clusters")
	}
}

// A client decides how its body comes: one that sends a byte and then more than fits does not make others' bodies be decided on by their beginning.
func TestClientsDoNotSetTheLimit(t *testing.T) {
	host := started(t)
	if err := host.SetProperty([]string{"response", "code_details"}, []byte("request_payload_too_large")); err != nil {
		t.Fatal(err)
	}
	send := func(parts ...string) (held int) {
		id := host.InitializeHttpContext()
		length := 0
		for _, part := range parts {
			length += len(part)
		}
		host.CallOnRequestHeaders(id, append([][2]string{{"content-length", strconv.Itoa(length)}}, postHeaders...), false)
		for i, part := range parts {
			if host.CallOnRequestBody(id, []byte(part), i == len(parts)-1) == types.ActionPause {
				held++
			}
		}
		if length > 1<<20 {
			host.CallOnResponseHeaders(id, [][2]string{{":status", "413"}}, true)
		}
		host.CompleteHttpContext(id)
		return held
	}
	text := strings.Repeat("word ", 300_000)
	for range 3 {
		send("{", `"model":"m","prompt":"`+text)
	}
	if held := send(`{"model":"m","prompt":"new`, text[:24_000], text[:24_000]+`"}`); held != 2 {
		t.Errorf("%d parts of 48 KB are held, want both that come before the last", held)
	}
}

// What has been held without harm is held again, what was far too much is tried by a quarter, and a limit that is lower now counts. Each route has
// its own; those beyond mostLimits have one in common.
func TestLimits(t *testing.T) {
	const all = 1 << 30 // where nothing is known
	const a, b = "a", "b"
	for name, c := range map[string]struct {
		learn func(l *limits)
		want  [2]int // of a, and of b
	}{
		"nearly as much as was too much": {func(l *limits) { l.refuses(1100, 1000, a) }, [2]int{1000, all}},
		"a byte, and far too much":       {func(l *limits) { l.refuses(1100, 1, a) }, [2]int{275, all}},
		"and as much before":             {func(l *limits) { l.holds(800, l.of(a)); l.refuses(1100, 1, a) }, [2]int{800, all}},
		"and as much later":              {func(l *limits) { l.refuses(1100, 1, a); l.holds(400, l.of(a)) }, [2]int{400, all}},
		"and more than was too much":     {func(l *limits) { l.refuses(1100, 1, a); l.holds(1200, l.of(a)) }, [2]int{275, all}},
		"less was too much":              {func(l *limits) { l.refuses(1100, 1, a); l.refuses(270, 0, a) }, [2]int{67, all}},
		"it is lower now":                {func(l *limits) { l.holds(1000, l.of(a)); l.refuses(600, 500, a) }, [2]int{500, all}},
		"another route has held more":    {func(l *limits) { l.refuses(600, 500, a); l.holds(1000, l.of(b)) }, [2]int{500, all}},
		"each has its own":               {func(l *limits) { l.refuses(600, 500, a); l.refuses(1100, 1000, b) }, [2]int{500, 1000}},
		"so many that b is one of the rest": {func(l *limits) {
			for _, name := range strings.Split("acdefghijklmnopqrst", "") {
				l.refuses(1100, 1000, name)
			}
			l.refuses(300, 200, "t")
		}, [2]int{1000, 200}},
	} {
		var l limits
		c.learn(&l)
		for i, r := range []string{a, b} {
			got := all
			if at := l.of(r); at != nil {
				got = at.bytes()
			}
			if got != c.want[i] {
				t.Errorf("%s: of %s %d bytes are held, want %d", name, r, got, c.want[i])
			}
		}
		if len(l.routes) > mostLimits {
			t.Errorf("%s: %d routes are kept", name, len(l.routes))
		}
	}
}

// However much of a body is names and signs, a callback reads only so much of it; the request is steered by what was read.
func TestDenseBodiesAreReadInParts(t *testing.T) {
	inParts := func(body string) (parts []string) {
		for ; len(body) > 50_000; body = body[50_000:] {
			parts = append(parts, body[:50_000])
		}
		return append(parts, body)
	}
	const head, tail = `{"model":"m","messages":[{"role":"user","content":"Hello"}],"x":[1`, `]}`
	dense := head + strings.Repeat(",1", 400_000) + tail
	late := `{"model":"m","x":[1` + strings.Repeat(",1", 400_000) + `],"messages":[{"role":"user","content":"Hello"}]}`
	for _, c := range []struct {
		name  string
		parts []string
		held  int // parts
		why   string
	}{
		{"at once", []string{dense}, 0, ""},
		{"in two parts", []string{dense[:300_000], dense[300_000:]}, 1, ""},
		{"in small parts", inParts(dense), 16, ""},
		{"much in the first part", []string{dense[:len(dense)-5], dense[len(dense)-5:]}, 0, ""},
		{"text", []string{head + "]" + `,"y":"` + strings.Repeat("text ", 160_000), `"}`}, 1, ""},
		{"escapes at once", []string{head + "]" + `,"y":"` + strings.Repeat(`\/`, 1_000_000), `"}`}, 0, ""},
		{"at once, the prompt last", []string{late}, 0, "why=no_prompt"},
		{"in small parts, the prompt last", inParts(late), 16, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			host := emulate(t, strings.Replace(goodConfiguration, "10ms", "1m", 1)) // however busy the machine is
			if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
				t.Fatalf("start: got %v, logs %v", status, host.GetCriticalLogs())
			}
			id := host.InitializeHttpContext()
			headers := append([][2]string{{":path", "/v1/chat/completions"}}, postHeaders...)
			headers = slices.DeleteFunc(headers, func(h [2]string) bool { return h == [2]string{":path", "/v1/completions"} })
			host.CallOnRequestHeaders(id, headers, false)
			held := 0
			for i, part := range c.parts {
				if host.CallOnRequestBody(id, []byte(part), i == len(c.parts)-1) == types.ActionPause {
					held++
				}
			}
			if held != c.held {
				t.Errorf("%d of %d parts were held, want %d", held, len(c.parts), c.held)
			}
			if got := header(host.GetCurrentRequestHeaders(id), "x-gateway-destination-endpoint"); !strings.HasPrefix(got, "10.0.0.") {
				t.Errorf("the endpoint's header is %q", got)
			}
			host.CallOnResponseHeaders(id, [][2]string{{":status", "200"}}, true)
			if got := header(host.GetCurrentResponseHeaders(id), "x-why"); !strings.Contains(got, "reason=by_load") || strings.Contains(got, "why=") != (c.why != "") || !strings.Contains(got, c.why) {
				t.Errorf("the decision is %q, want one by what was read", got)
			}
			host.CompleteHttpContext(id)
		})
	}
}
