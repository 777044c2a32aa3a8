package counts

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/promtext"
)

func TestPeers(t *testing.T) {
	for page, want := range map[string]string{
		"": "",
		"warmroute_peers{pool=\"a\"} 2\nwarmroute_peers_former_secret{pool=\"a\"} 0\nwarmroute_peer_faults_total{reason=\"no_answer\",peer=\"10.0.0.1:80\"} 3\n": "",
		"warmroute_peers{pool=\"a\"} 2\nwarmroute_peers_former_secret{pool=\"a\"} 1\nwarmroute_peers_former_secret{pool=\"b\"} 1\n":                              "1 do not know the first",
		"warmroute_peers 0\nwarmroute_peer_faults_total{reason=\"refused\",peer=\"10.0.0.1:80\"} 3\n":                                                            "none gives news: refused",
		"warmroute_peers 0\nwarmroute_peer_faults_total{reason=\"secret\"} 3\n":                                                                                  "",
	} {
		parsed, err := promtext.Read([]byte(page))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, f := range peers(parsed) {
			got += f.What
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: got %q, want %q", page, got, want)
		}
	}
}
