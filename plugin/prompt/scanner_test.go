package prompt

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warmroute/plugin/why"
)

const requests = "../../testdata/requests"

// request is one body of testdata/requests; its name begins with its format, or with "broken-" and its format.
type request struct {
	name    string
	format  Format
	pointer string
	broken  bool
	body    []byte
}

func loadRequests(t testing.TB) []request {
	names, err := filepath.Glob(requests + "/*.json")
	if err != nil || len(names) < 60 {
		t.Fatalf("%d bodies in %s (%v), want at least 60", len(names), requests, err)
	}
	var all []request
	for _, name := range names {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		r := request{name: strings.TrimSuffix(filepath.Base(name), ".json"), body: body}
		format, broken := strings.CutPrefix(r.name, "broken-")
		format, _, _ = strings.Cut(format, "-")
		r.broken, r.format = broken, formatOf(format)
		if r.format == None {
			t.Fatalf("%s: no format is named %q", r.name, format)
		}
		if r.format == Pointer {
			r.pointer = "/request/body/text"
			if strings.Contains(r.name, "array-element") {
				r.pointer = "/request/body/1/text"
			}
		}
		all = append(all, r)
	}
	return all
}

// scan reads body in chunks of the given sizes, used over and over; none: in one chunk.
func scan(t testing.TB, s *Scanner, f Format, pointer string, body []byte, sizes ...byte) (*Prompt, Status) {
	ptr, why := ParsePointer(pointer)
	if why != "" {
		t.Fatalf("pointer %q %s", pointer, why)
	}
	s.Reset(f, ptr)
	for i := 0; len(sizes) > 0 && len(body) > 0; i++ {
		n := min(int(sizes[i%len(sizes)]), len(body))
		// A chunk is only lent: what is read of it later must not matter.
		chunk := append([]byte(nil), body[:n]...)
		s.Write(chunk)
		for j := range chunk {
			chunk[j] = '"'
		}
		body = body[n:]
		if i > len(sizes) && n == 0 && sum(sizes) == 0 {
			break
		}
	}
	s.Write(body)
	return s.Prompt(), s.Close()
}

func sum(sizes []byte) (n int) {
	for _, k := range sizes {
		n += int(k)
	}
	return n
}

// checkOracle compares the scanner that reads whole bodies with the oracle.
func checkOracle(t *testing.T, f Format, pointer string, body []byte, limit int, sizes ...byte) {
	t.Helper()
	s := NewScanner(Options{KeepBytes: limit, HoldBytes: -1})
	limit = s.keep
	got, status := scan(t, s, f, pointer, body, sizes...)
	want, err := oracle(body, f, pointer, limit)
	if (err == nil) != (status == Ready) {
		t.Fatalf("%v: scanner says %v %q, oracle %v\n%q", f, status, s.Why(), err, body)
	}
	if err != nil {
		if shape := err == errShape; err == errNone != (s.why == why.NoPrompt) || shape != (s.why == why.UnknownShape || s.why == why.BadToken) {
			// A body may be broken in two ways; the scanner tells the first that it meets.
			if err != errJSON || s.why == why.NoPrompt {
				t.Fatalf("%v: scanner says %q, oracle %v\n%q", f, s.Why(), err, body)
			}
		}
		return
	}
	if diff := cmp.Diff(visible(want), visible(got)); diff != "" {
		t.Fatalf("%v: the oracle's prompt (-) and the scanner's (+) differ:\n%s\n%q", f, diff, body)
	}
}

// visible is a Prompt in a form that prints, nil and empty being equal.
func visible(p *Prompt) map[string]any {
	return map[string]any{
		"format": p.Format, "model": string(p.Model), "adapter": string(p.Adapter), "salt": string(p.Salt),
		"session": string(p.Session), "from": p.SessionFrom.String(), "text": string(p.Text), "system": p.SystemLen,
		"truncated": p.Truncated, "tokens": p.Tokens, "stream": p.Stream, "usage": p.IncludeUsage, "bytes": p.BodyBytes,
	}
}

func TestRequestsAgainstOracle(t *testing.T) {
	for _, r := range loadRequests(t) {
		t.Run(r.name, func(t *testing.T) {
			if _, err := oracle(r.body, r.format, r.pointer, 1<<20); (err != nil) != r.broken {
				t.Fatalf("oracle: %v, want broken: %v", err, r.broken)
			}
			for _, limit := range []int{64, 100, 256, 1000, 1 << 20} {
				checkOracle(t, r.format, r.pointer, r.body, limit)
				for size := byte(1); size < 20; size++ {
					checkOracle(t, r.format, r.pointer, r.body, limit, size)
				}
				checkOracle(t, r.format, r.pointer, r.body, limit, 3, 0, 200, 1)
			}
		})
	}
}

// TestEveryFormatOnEveryRequest finds what one format's tables do with the bodies of another.
func TestEveryFormatOnEveryRequest(t *testing.T) {
	for _, r := range loadRequests(t) {
		for f := Chat; f <= Pointer; f++ {
			checkOracle(t, f, "/messages/0", r.body, 300, 7)
			checkOracle(t, f, "", r.body, 300, 7)
		}
	}
}

func TestEveryCutOfABodyIsBroken(t *testing.T) {
	for _, r := range loadRequests(t) {
		if r.broken || len(r.body) > 3000 {
			continue
		}
		for n := range len(r.body) {
			checkOracle(t, r.format, r.pointer, r.body[:n], 512)
		}
	}
}
