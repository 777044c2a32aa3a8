package capture

import (
	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
)

// vercel are the messages of Vercel's AI SDK (ai-sdk.dev, "ModelMessage"), in the form of chat completions.
func vercel(raw *loose.Value) []loose.Object {
	var out []loose.Object
	for _, item := range raw.Unquote().Items() {
		m := item.Object()
		var parts []loose.Object
		for _, one := range m["content"].Items() {
			switch p := one.Object(); p["type"].Text() {
			case "text":
				parts = append(parts, loose.Object{"type": p["type"], "content": p["text"]})
			case "tool-call":
				parts = append(parts, loose.Object{"type": loose.Made("tool_call"), "id": p["toolCallId"], "name": p["toolName"], "arguments": loose.FirstOf(p["input"], p["args"])})
			case "tool-result":
				result := loose.FirstOf(p["output"].Object()["value"], p["output"], p["result"])
				parts = append(parts, loose.Object{"type": loose.Made("tool_call_response"), "id": p["toolCallId"], "response": result})
			case "reasoning":
			default:
				parts = append(parts, loose.Object{"type": loose.Made("file"), "of": one})
			}
		}
		if !m["content"].IsList() {
			out = append(out, chats.Messages(loose.Made([]*loose.Value{item}))...)
			continue
		}
		out = append(out, ofParts(m["role"], parts)...)
	}
	return out
}
