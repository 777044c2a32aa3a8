package replay

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"warmroute/hostsim/internal/bound"
	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// One replica with room for all finds what a cache that never forgets would: with answers, their tokens too. Bodies and their
// block ids say the same.
func TestAnswersAreKept(t *testing.T) {
	var text strings.Builder
	const turns, answer = 6, 200 // tokens
	for chat := range 4 {
		messages := fmt.Sprintf(`{"role":"user","content":"Chat %d. %s"}`, chat, strings.Repeat("Tell me more. ", 100))
		for turn := range turns {
			fmt.Fprintf(&text, `{"t":%d,"session":"%d","body":{"model":"m","messages":[%s]},"output_tokens":%d}`+"\n", 20*turn+chat, chat, messages, answer)
			messages += fmt.Sprintf(`,{"role":"assistant","content":"%s"},{"role":"user","content":"And %d?"}`, strings.Repeat(fmt.Sprint("Answer ", turn, ". "), 90), turn)
		}
	}
	bodies, err := trace.Read(strings.NewReader(text.String()), "x", trace.Options{Format: trace.OpenAI})
	if err != nil {
		t.Fatal(err)
	}
	profile, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := AsBlocks(bodies, profile.BlockSize)
	if err != nil {
		t.Fatal(err)
	}
	var hits []float64
	for _, answers := range []bool{false, true} {
		for _, tr := range []*trace.Trace{bodies, blocks} {
			tr.Answers = answers
			fitted, err := Fit(profile, tr, 0)
			if err != nil {
				t.Fatal(err)
			}
			r := result(t, Options{Trace: tr, Policy: "cache_aware", Replicas: 1, Workers: 1, Gateways: 1, Profile: fitted, Speed: 1, Seed: 1,
				Engine: func(configuration []byte, workers int) (router.Engine, error) {
					return ours.NewNative(configuration, workers)
				}})
			hits = append(hits, r.TokenHitRatio)
			blocks.Answers = answers
			if best, err := bound.Infinite(blocks); err != nil || r.TokenHitRatio > best || best-r.TokenHitRatio > .02 {
				t.Errorf("answers %v: found %.3f, a cache that never forgets %.3f, %v", answers, r.TokenHitRatio, best, err)
			}
			if math.Abs(r.InfiniteCache-r.TokenHitRatio) > .02 {
				t.Errorf("answers %v: found %.3f, as the run says of a cache that never forgets %.3f", answers, r.TokenHitRatio, r.InfiniteCache)
			}
		}
	}
	t.Logf("found %.3f", hits)
	if math.Abs(hits[0]-hits[1]) > .001 || math.Abs(hits[2]-hits[3]) > .001 || hits[2] < hits[0]+.1 {
		t.Errorf("found %v; want the same of bodies and blocks, and more with answers", hits)
	}
}
