package vllmpages

import (
	"bytes"
	"strings"
	"testing"

	"warmroute/hostsim/internal/vllm"
)

func TestPythonFloat(t *testing.T) {
	for want, v := range map[string]float64{"0.0": 0, "1.0": 1, "0.001": .001, "7680.0": 7680, "0.25": .25} {
		if got := pythonFloat(v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// What a profile switches on is on the page: whether prefixes are cached, external hits, and adapters that run and wait.
func TestMetricsPageOfFeatures(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*vllm.Profile)
		want   string
	}{
		"as usual":           {func(*vllm.Profile) {}, `enable_prefix_caching="True"`},
		"no prefix caching":  {func(p *vllm.Profile) { p.PrefixCachingOff = 1 }, `enable_prefix_caching="False"`},
		"host memory":        {func(p *vllm.Profile) { p.HostKVBlocks, p.HostPerKVToken = 100, 2 }, "vllm:external_prefix_cache_hits_total"},
		"more than fit in 2": {func(p *vllm.Profile) { p.MaxLoRAs, p.MaxHostLoRAs = 2, 3 }, `max_lora="2",running_lora_adapters="a,b",waiting_lora_adapters="c"`},
	} {
		p := vllm.Profile{
			Name: "small", StepOverhead: 1000, PrefillPerToken: 10, DecodePerSeq: 5, BlockSize: 4, KVBlocks: 64, MaxNumBatchedTokens: 64, MaxNumSeqs: 8, MaxModelLen: 256,
		}
		c.change(&p)
		e, err := vllm.NewEngine(p)
		if err != nil {
			t.Fatal(err)
		}
		for i, adapter := range []string{"a", "b", "c"} {
			r := vllm.Request{ID: uint64(i + 1), Tokens: make([]uint32, 8), PromptTokens: 8, MaxTokens: 3}
			if p.MaxLoRAs > 0 {
				r.LoRA = adapter
			}
			if err := e.Submit(0, r); err != nil {
				t.Fatal(err)
			}
		}
		e.Advance(0)
		var form Form
		if page := string(OfReplica(nil, &form, e)); !strings.Contains(page, c.want) {
			t.Errorf("%s: the page lacks %s", name, c.want)
		}
		e.Advance(1 << 40)
		if again, anew := OfReplica(nil, &form, e), OfReplica(nil, new(Form), e); !bytes.Equal(again, anew) {
			t.Errorf("%s: another page\n%s\nis not as a first one\n%s", name, again, anew)
		}
	}
}
