package faults

import (
	"container/list"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Replica is a server with a prefix cache, LRU as vLLM's. A token has 4 characters, and a chat template 20 tokens.
type Replica struct {
	Address string
	Mode    Mode
	Served  int // requests answered
	Denies  int // status with which it answers each at once, such as 404; 0: none

	blocks   int // of cache
	held     map[uint64]*list.Element
	recent   list.List // newest first
	inFlight int
}

// Mode is what a replica does with a request.
type Mode uint8

const (
	Works   Mode = iota
	Refuses      // no connection
	Hangs        // it takes the request and says nothing
	Fails        // 500 at once
	Breaks       // the response stops in its middle
	modes
)

const (
	tokenBytes    = 4
	blockTokens   = 16
	templateToken = 20
)

func newReplica(address string, blocks int) *Replica {
	return &Replica{Address: address, blocks: blocks, held: map[uint64]*list.Element{}}
}

// request is what a replica reads of a body. What vLLM 0.32 does with these: see prompt.Prompt.
type request struct {
	Prompt   string `json:"prompt"`
	Messages []struct {
		Content string `json:"content"`
	} `json:"messages"`
	Salt     string `json:"cache_salt"`
	Stream   bool   `json:"stream"`
	Logprobs *int   `json:"prompt_logprobs"`
	Truncate *int   `json:"truncate_prompt_tokens"`
}

// usage is the tokens of a prompt, and those of them that were cached.
type usage struct{ prompt, cached int }

// serve computes a prompt: usage, and whether the body was one.
func (r *Replica) serve(body []byte) (u usage, stream, ok bool) {
	var q request
	if json.Unmarshal(body, &q) != nil {
		return u, false, false
	}
	text := q.Prompt
	for _, m := range q.Messages {
		text += "<|turn|>" + m.Content
	}
	tokens := templateToken + len(text)/tokenBytes
	if q.Truncate != nil && *q.Truncate < tokens {
		text, tokens = text[len(text)-*q.Truncate*tokenBytes:], *q.Truncate // from the left, as vLLM does
	}
	hash, cached, reading := xxhash.Sum64String(q.Salt), 0, q.Logprobs == nil
	var chain []uint64
	for i := 0; i+blockTokens*tokenBytes <= len(text); i += blockTokens * tokenBytes {
		part := binary.LittleEndian.AppendUint64([]byte(text[i:i+blockTokens*tokenBytes]), hash)
		hash = xxhash.Sum64(part)
		chain = append(chain, hash)
		if _, held := r.held[hash]; reading && held {
			cached += blockTokens
		} else {
			reading = false
		}
	}
	for i := len(chain) - 1; i >= 0; i-- { // the head is the newest
		r.touch(chain[i])
	}
	return usage{tokens, min(cached, tokens-1) / blockTokens * blockTokens}, q.Stream, true
}

func (r *Replica) touch(hash uint64) {
	if e, ok := r.held[hash]; ok {
		r.recent.MoveToFront(e)
		return
	}
	r.held[hash] = r.recent.PushFront(hash)
	if r.recent.Len() > r.blocks {
		e := r.recent.Back()
		delete(r.held, r.recent.Remove(e).(uint64))
	}
}

// json is the answer to a request whose response is not streamed.
func (u usage) json() []byte {
	return fmt.Appendf(nil, `{"choices":[{"text":"yes"}],"usage":{"prompt_tokens":%d,"completion_tokens":1,"prompt_tokens_details":{"cached_tokens":%d}}}`, u.prompt, u.cached)
}

// metrics is its page, as vLLM 0.32 writes it, as far as it is read.
func (r *Replica) metrics() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "vllm:num_requests_running{engine=\"0\"} %d\nvllm:num_requests_waiting{engine=\"0\"} 0\n", r.inFlight)
	fmt.Fprintf(&b, "vllm:kv_cache_usage_perc{engine=\"0\"} %g\n", float64(r.recent.Len())/float64(max(r.blocks, 1)))
	fmt.Fprintf(&b, "vllm:cache_config_info{block_size=\"%d\",num_gpu_blocks=\"%d\"} 1\n", blockTokens, r.blocks)
	return []byte(b.String())
}
