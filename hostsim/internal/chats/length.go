package chats

import "warmroute/hostsim/internal/loose"

// TextLength is the bytes of strings under the names that hold a model's words.
func TextLength(raw *loose.Value, depth int) int {
	if s, ok := raw.Quoted(); ok {
		return len(s)
	}
	if list := raw.Items(); list != nil {
		n := 0
		for _, item := range list {
			n += TextLength(item, depth)
		}
		return n
	}
	o := raw.Object()
	if o == nil || depth < 0 {
		return 0
	}
	n := 0
	for _, name := range []string{"text", "content", "reasoning_content", "reasoning", "arguments", "message", "delta", "tool_calls", "function", "partial_json", "thinking", "parts"} {
		if v := o[name]; v != nil {
			n += TextLength(v, depth-1)
		}
	}
	if in := o["input"].Object(); in != nil { // Anthropic's tool_use
		n += len(o["input"].Bytes())
	}
	return n
}
