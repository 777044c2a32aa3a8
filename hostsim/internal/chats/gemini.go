package chats

import (
	"warmroute/hostsim/internal/loose"
)

// isGemini says whether an object is a body of generateContent (ai.google.dev, "Generating content"): contents with parts.
func isGemini(o loose.Object) bool {
	contents := o["contents"].Items()
	return len(contents) > 0 && contents[0].Object()["parts"].Items() != nil
}

func gemini(o loose.Object) loose.Object {
	var turns []loose.Object
	if system := o.Get([]string{"systeminstruction"}).Object(); system != nil {
		turns = append(turns, geminiTurn(system, "system"))
	}
	for _, item := range o["contents"].Items() {
		content := item.Object()
		role := Role(content["role"].Text())
		if role != "assistant" {
			role = "user"
		}
		turns = append(turns, geminiTurn(content, role))
	}
	out := o.Without("contents", "systeminstruction", "generationconfig", "tools", "toolconfig", "safetysettings")
	out["messages"] = loose.Made(Messages(loose.Made(turns)))
	if n, ok := o.Get([]string{"generationconfig"}).Object().Get([]string{"maxoutputtokens"}).Whole(); ok {
		out["max_tokens"] = loose.Made(n)
	}
	var tools []loose.Object
	for _, tool := range o["tools"].Items() {
		for _, function := range tool.Object().Get([]string{"functiondeclarations"}).Items() {
			f := function.Object()
			tools = append(tools, functionTool(f["name"], f["description"], f.Get([]string{"parameters", "parametersjsonschema"})))
		}
	}
	return withTools(out, tools)
}

// geminiTurn makes a message in OpenTelemetry's form, which chatMessages reads.
func geminiTurn(content loose.Object, role string) loose.Object {
	var parts []loose.Object
	for _, item := range content["parts"].Items() {
		p := item.Object()
		call, response := p.Get([]string{"functioncall"}).Object(), p.Get([]string{"functionresponse"}).Object()
		switch {
		case p["thought"].Is("true"): // the model's own, left out of later turns
		case p["text"] != nil:
			parts = append(parts, textPart(p["text"]))
		case call != nil:
			parts = append(parts, callPart(loose.FirstOf(call["id"], call["name"]), call["name"], call["args"]))
		case response != nil:
			parts = append(parts, resultPart(loose.FirstOf(response["id"], response["name"]), response["response"]))
		default:
			parts = append(parts, otherPart(item))
		}
	}
	return loose.Object{"role": loose.Made(role), "parts": loose.Made(parts)}
}
