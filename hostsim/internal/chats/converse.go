package chats

import (
	"strings"

	"warmroute/hostsim/internal/loose"
)

// isConverse says whether an object is a body of Bedrock's Converse: its messages have parts that are named by their one member,
// where other APIs' have a type.
func isConverse(o loose.Object) bool {
	for _, item := range o["messages"].Items() {
		for _, part := range item.Object()["content"].Items() {
			p := part.Object()
			if p == nil || p["type"] != nil {
				return false
			}
			for _, name := range []string{"text", "toolUse", "toolResult", "image", "document", "video", "cachePoint", "reasoningContent"} {
				if p[name] != nil {
					return true
				}
			}
		}
	}
	return false
}

func converse(o loose.Object) loose.Object {
	var turns []loose.Object
	if system := o["system"].Items(); len(system) > 0 {
		turns = append(turns, converseTurn(system, "system"))
	}
	for _, item := range o["messages"].Items() {
		m := item.Object()
		turns = append(turns, converseTurn(m["content"].Items(), m["role"].Text()))
	}
	out := o.Without("system", "inferenceconfig", "toolconfig")
	out["messages"] = loose.Made(Messages(loose.Made(turns)))
	if n, ok := o["inferenceConfig"].Object()["maxTokens"].Whole(); ok {
		out["max_tokens"] = loose.Made(n)
	}
	var tools []loose.Object
	for _, tool := range o["toolConfig"].Object()["tools"].Items() {
		if spec := tool.Object()["toolSpec"].Object(); spec != nil {
			tools = append(tools, functionTool(spec["name"], spec["description"], spec["inputSchema"].Object()["json"]))
		}
	}
	return withTools(out, tools)
}

func converseTurn(content []*loose.Value, role string) loose.Object {
	var parts []loose.Object
	for _, item := range content {
		p := item.Object()
		use, result := p["toolUse"].Object(), p["toolResult"].Object()
		switch {
		case p["text"] != nil:
			parts = append(parts, textPart(p["text"]))
		case use != nil:
			parts = append(parts, callPart(use["toolUseId"], use["name"], use["input"]))
		case result != nil:
			var b strings.Builder
			for _, one := range result["content"].Items() {
				b.WriteString(loose.FirstOf(one.Object()["text"], one.Object()["json"]).Words())
			}
			parts = append(parts, resultPart(result["toolUseId"], loose.Made(b.String())))
		case p["guardContent"] != nil:
			parts = append(parts, textPart(p["guardContent"].Object()["text"].Object()["text"]))
		case p["cachePoint"] != nil || p["reasoningContent"] != nil:
		default:
			parts = append(parts, otherPart(item))
		}
	}
	return loose.Object{"role": loose.Made(role), "parts": loose.Made(parts)}
}
