package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	extproc "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const configuration = `{"policy":"cache_aware","endpoints":["10.0.0.1:8000","10.0.0.2:8000"],"scrape":{"path":""}}`

func headers(pairs ...string) *extproc.HttpHeaders {
	h := &core.HeaderMap{}
	for i := 0; i < len(pairs); i += 2 {
		h.Headers = append(h.Headers, &core.HeaderValue{Key: pairs[i], RawValue: []byte(pairs[i+1])})
	}
	return &extproc.HttpHeaders{Headers: h}
}

// start runs the server, and returns a client of it.
func start(t *testing.T) extproc.ExternalProcessorClient {
	stdin, ends := io.Pipe()
	lines, stdout := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run([]string{configuration}, stdin, stdout)
	}()
	address, err := bufio.NewReader(lines).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	connection, err := grpc.NewClient(strings.TrimSpace(address), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		connection.Close()
		ends.Close()
		if err := <-done; err != nil {
			t.Errorf("the server: %v", err)
		}
	})
	return extproc.NewExternalProcessorClient(connection)
}

// exchange is a whole request and its response; it returns the endpoints to try.
func exchange(t *testing.T, client extproc.ExternalProcessorClient, body string) []string {
	t.Helper()
	stream, err := client.Process(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := func(m *extproc.ProcessingRequest) *extproc.ProcessingResponse {
		if err := stream.Send(m); err != nil {
			t.Fatal(err)
		}
		r, err := stream.Recv()
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	ask(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_RequestHeaders{
		RequestHeaders: headers(":method", "POST", ":path", "/v1/chat/completions", "content-type", "application/json")}})
	r := ask(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_RequestBody{RequestBody: &extproc.HttpBody{Body: []byte(body), EndOfStream: true}}})
	set := r.GetRequestBody().GetResponse().GetHeaderMutation().GetSetHeaders()
	if len(set) != 1 || set[0].GetHeader().GetKey() != "x-gateway-destination-endpoint" {
		t.Fatalf("%.60s: set %v, want the endpoints' header", body, set)
	}
	ask(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_ResponseHeaders{ResponseHeaders: headers(":status", "200", "content-type", "application/json")}})
	if err := stream.CloseSend(); err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != io.EOF {
		t.Fatalf("the stream's end: %v", err)
	}
	return strings.Split(string(set[0].GetHeader().GetRawValue()), ",")
}

// A prompt goes where it was before; prompts are spread; what is no prompt is decided by load.
func TestProcess(t *testing.T) {
	client := start(t)
	used := map[string]bool{}
	for i := range 20 {
		body := fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":"%s"}]}`, strings.Repeat(fmt.Sprintf("prompt %d of many ", i), 200))
		first := exchange(t, client, body)
		if again := exchange(t, client, body); again[0] != first[0] {
			t.Errorf("prompt %d: %v, then %v", i, first, again)
		}
		if slices.Sort(first); len(first) != 2 || first[0] != "10.0.0.1:8000" || first[1] != "10.0.0.2:8000" {
			t.Fatalf("prompt %d: %v, want both endpoints", i, first)
		}
		used[exchange(t, client, body)[0]] = true
	}
	if len(used) != 2 {
		t.Errorf("20 prompts all went to %v", used)
	}
	if got := exchange(t, client, `{"no`); len(got) != 2 {
		t.Errorf("a body that is no JSON: %v", got)
	}
}

// What the client left before the answer is not believed to be cached; what was answered is.
func TestClientLeaves(t *testing.T) {
	p, err := newPicker([]byte(configuration))
	if err != nil {
		t.Fatal(err)
	}
	body := `{"model":"m","messages":[{"role":"user","content":"` + strings.Repeat("Some text. ", 200) + `"}]}`
	ask := func(answered bool) string {
		r := &request{picker: p}
		r.answer(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_RequestHeaders{
			RequestHeaders: headers(":method", "POST", ":path", "/v1/chat/completions", "content-type", "application/json")}})
		r.answer(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_RequestBody{RequestBody: &extproc.HttpBody{Body: []byte(body), EndOfStream: true}}})
		told := string(r.exchange.Describe())
		if answered {
			r.answer(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_ResponseHeaders{ResponseHeaders: headers(":status", "200", "content-type", "application/json")}})
		}
		r.end()
		return told
	}
	for i, of := range []struct{ answered, held bool }{{false, false}, {true, false}, {false, true}} {
		if told := ask(of.answered); !strings.Contains(told, "matched=") || strings.Contains(told, "matched=0;") == of.held {
			t.Errorf("request %d: %s; is the prompt held: want %v", i+1, told, of.held)
		}
	}
}

func TestRefuses(t *testing.T) {
	for _, args := range [][]string{
		nil, {"{"}, {`{"policy":"best"}`}, {`{"endpoints":["10.0.0.1:8000"],"steer":{"target":"endpoint","via":"property"}}`},
		{`{"pools":[{"name":"a","match":{"cluster":"a"},"endpoints":["10.0.0.1:8000"]}]}`},
	} {
		if err := run(args, strings.NewReader(""), io.Discard); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}

// A request names the data-parallel rank that is chosen, and its server is no other than the one chosen when it answers.
func TestRanks(t *testing.T) {
	p, err := newPicker([]byte(strings.Replace(configuration, "{", `{"data_parallel_ranks":2,`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	r := &request{picker: p}
	r.answer(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_RequestHeaders{
		RequestHeaders: headers(":method", "POST", ":path", "/v1/completions", "content-type", "application/json")}})
	set := r.answer(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_RequestBody{RequestBody: &extproc.HttpBody{Body: []byte(`{"prompt":"Hello"}`), EndOfStream: true}}}).
		GetRequestBody().GetResponse().GetHeaderMutation().GetSetHeaders()
	if len(set) != 2 || strings.Contains(string(set[0].GetHeader().GetRawValue()), "#") ||
		set[1].GetHeader().GetKey() != "x-data-parallel-rank" || !strings.Contains("01", string(set[1].GetHeader().GetRawValue())) {
		t.Errorf("set %v, want the servers' header and a rank", set)
	}
	r.answer(&extproc.ProcessingRequest{Request: &extproc.ProcessingRequest_ResponseHeaders{ResponseHeaders: headers(":status", "200", "content-type", "application/json")}})
	if text := string(r.exchange.Describe()); strings.Contains(text, "served=") {
		t.Errorf("its own server counts as another: %s", text)
	}
	r.end()
}
