package answers

import (
	"strconv"
	"testing"

	"github.com/valyala/fastjson"

	"warmroute/plugin/prompt/prompttest"
)

// maxDepth bounds the recursion of fastjson.
const maxDepth = 64

// checkUsage compares the numbers of a whole JSON answer with those that fastjson finds.
func checkUsage(t *testing.T, answer []byte, numbers [usageNumbers]int64, known uint32) {
	t.Helper()
	if len(answer) >= 3 && string(answer[:3]) == "\xef\xbb\xbf" {
		answer = answer[3:]
	}
	if !prompttest.IsPlain(answer, maxDepth) || fastjson.ValidateBytes(answer) != nil {
		return // nothing is promised
	}
	root, err := new(fastjson.Parser).ParseBytes(prompttest.Clean(answer))
	if err != nil {
		t.Fatal(err)
	}
	var want [usageNumbers]int64
	var found uint32
	set := func(i int, v *fastjson.Value) {
		n, err := strconv.ParseInt(v.String(), 10, 64)
		if v.Type() == fastjson.TypeNumber && err == nil && n >= 0 && n < 1<<59 && v.String()[0] != '-' {
			want[i], found = n, found|1<<i
		}
	}
	prompttest.Visit(root, func(k string, v *fastjson.Value) {
		switch k {
		case "usage":
			readUsage(v, set)
		case "response", "message":
			prompttest.Visit(v, func(k string, v *fastjson.Value) {
				if k == "usage" {
					readUsage(v, set)
				}
			})
		}
	})
	for i := range want {
		if numbers[i] > 1<<59 { // beyond what the two agree on
			return
		}
		if found>>i&1 == 1 && (known>>i&1 == 0 || numbers[i] != want[i]) || found>>i&1 == 0 && known>>i&1 == 1 {
			t.Fatalf("numbers %v (%b), want %v (%b)\n%q", numbers, known, want, found, answer)
		}
	}
}

func readUsage(v *fastjson.Value, set func(int, *fastjson.Value)) {
	prompttest.Visit(v, func(k string, v *fastjson.Value) {
		switch k {
		case "prompt_tokens":
			set(nPrompt, v)
		case "input_tokens":
			set(nInput, v)
		case "cache_read_input_tokens":
			set(nCacheRead, v)
		case "cache_creation_input_tokens":
			set(nCacheCreated, v)
		case "completion_tokens":
			set(nCompletion, v)
		case "output_tokens":
			set(nOutput, v)
		case "prompt_tokens_details", "input_tokens_details":
			i := nPromptCached
			if k[0] == 'i' {
				i = nInputCached
			}
			prompttest.Visit(v, func(k string, v *fastjson.Value) {
				if k == "cached_tokens" {
					set(i, v)
				}
			})
		}
	})
}
