package fleet

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"warmroute/hostsim/internal/vllm"
	"warmroute/plugin/exposition"
)

// A rank that is named has the request, and its cache alone what was asked; else the server chooses the least busy one.
func TestRanks(t *testing.T) {
	p, err := vllm.LoadProfile("cpu-tiny")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Start(Options{N: 1, Ranks: 3, Profile: p, Model: "tiny", Speed: fast})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.Replicas[0]
	ask := func(rank, text string) (status, cached int) {
		t.Helper()
		request, err := http.NewRequest("POST", s.URL()+"/v1/completions", strings.NewReader(`{"prompt":"`+text+`","max_tokens":2}`))
		if err != nil {
			t.Fatal(err)
		}
		if rank != "" {
			request.Header.Set("X-data-parallel-rank", rank)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		defer response.Body.Close()
		data := make([]byte, 1<<16)
		n, _ := response.Body.Read(data)
		if response.StatusCode != 200 {
			return response.StatusCode, 0
		}
		return 200, decode(t, data[:n]).Usage.Details.CachedTokens
	}
	text := strings.Repeat("abcd", 128)
	for i, c := range []struct {
		rank           string
		status, cached int
	}{{"1", 200, 0}, {"1", 200, 1}, {"2", 200, 0}, {"0", 200, 0}, {"3", 400, 0}, {"-1", 400, 0}, {"none", 200, 1}} {
		if status, cached := ask(c.rank, text); status != c.status || (cached > 0) != (c.cached > 0) {
			t.Errorf("request %d, rank %q: status %d, %d tokens cached", i, c.rank, status, cached)
		}
	}
	for i := range 30 {
		ask("", fmt.Sprint(i, text))
	}
	_, page := send(t, "GET", s.URL()+"/metrics", "")
	r := exposition.Reader{Ranks: 3}
	r.Reset()
	r.Write(page)
	r.Close()
	for rank := range 3 {
		st, load := s.RankStats(rank), r.Rank(rank)
		if st.Finished < 6 {
			t.Errorf("rank %d had %d of 30 requests that name none", rank, st.Finished)
		}
		if load.CacheQueries != float64(st.Queries) || load.KVTokens != float64(p.KVTokens()) {
			t.Errorf("rank %d: the page says %+v, it has %+v", rank, load, st)
		}
	}
	if n := strings.Count(string(page), "# TYPE vllm:num_requests_running "); n != 1 {
		t.Errorf("a metric begins %d times", n)
	}
}
