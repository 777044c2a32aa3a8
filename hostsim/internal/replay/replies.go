package replay

import (
	"fmt"

	"warmroute/hostsim/internal/vllm"
)

// What a replica streams: a chunk with the first token, and one with the usage.
var firstChunk = []byte(`data: {"object":"text_completion","choices":[{"index":0,"text":" a"}]}` + "\n\n")

func (o *Options) lastChunk(record *vllm.Record) []byte {
	return fmt.Appendf(nil, `data: {"object":"text_completion","choices":[],%s}`+"\n\ndata: [DONE]\n\n", o.usage(record))
}

// wholeAnswer is one that is not streamed.
func (o *Options) wholeAnswer(record *vllm.Record) []byte {
	return fmt.Appendf(nil, `{"object":"text_completion","choices":[{"index":0,"text":" a","finish_reason":"length"}],%s}`, o.usage(record))
}

func (o *Options) usage(record *vllm.Record) string {
	details := "null" // as vLLM's without --enable-prompt-tokens-details
	if !o.Untold {
		details = fmt.Sprintf(`{"cached_tokens":%d}`, record.CachedTokens)
	}
	return fmt.Sprintf(`"usage":{"prompt_tokens":%d,"total_tokens":%d,"completion_tokens":%d,"prompt_tokens_details":%s}`,
		record.PromptTokens, record.PromptTokens+record.Generated, record.Generated, details)
}
