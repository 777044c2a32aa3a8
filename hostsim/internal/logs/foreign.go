package logs

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cespare/xxhash/v2"

	"warmroute/hostsim/internal/loose"
)

// translated returns a request to an API that the replicas do not have as a chat: Gemini's generateContent, Amazon Bedrock's Converse,
// LangChain's messages, or messages under the name of a prompt. The other members stay. nil: it needs no translation.
func translated(o loose.Object) loose.Object {
	switch {
	case isGemini(o):
		return gemini(o)
	case isConverse(o):
		return converse(o)
	}
	if chat := langchain(o); chat != nil {
		return chat
	}
	if prompt := o["prompt"].Unquote(); turns(prompt) && !o["messages"].Filled() {
		chat := o.Without("prompt")
		chat["messages"] = prompt
		return chat
	}
	return nil
}

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
		role := roles[content["role"].Text()]
		if role != "assistant" {
			role = "user"
		}
		turns = append(turns, geminiTurn(content, role))
	}
	out := o.Without("contents", "systeminstruction", "generationconfig", "tools", "toolconfig", "safetysettings")
	out["messages"] = loose.Made(chatMessages(loose.Made(turns)))
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
	out["messages"] = loose.Made(chatMessages(loose.Made(turns)))
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

func textPart(s *loose.Value) loose.Object {
	return loose.Object{"type": loose.Made("text"), "content": s}
}

func callPart(id, name, arguments *loose.Value) loose.Object {
	return loose.Object{"type": loose.Made("tool_call"), "id": id, "name": name, "arguments": arguments}
}

func resultPart(id, result *loose.Value) loose.Object {
	return loose.Object{"type": loose.Made("tool_call_response"), "id": id, "response": result}
}

// otherPart stands for an image or a file: it differs with it, and is short.
func otherPart(raw *loose.Value) loose.Object {
	return loose.Object{"type": loose.Made("file"), "hash": loose.Made(fmt.Sprintf("%016x", xxhash.Sum64(raw.Compact())))}
}

func functionTool(name, description, parameters *loose.Value) loose.Object {
	f := loose.Object{"name": name}
	for member, value := range map[string]*loose.Value{"description": description, "parameters": parameters} {
		if value.Filled() {
			f[member] = value
		}
	}
	return loose.Object{"type": loose.Made("function"), "function": loose.Made(f)}
}

func withTools(o loose.Object, tools []loose.Object) loose.Object {
	if len(tools) > 0 {
		o["tools"] = loose.Made(tools)
	}
	return o
}

// modelPath is where Gemini's and Bedrock's paths name the model.
var modelPath = regexp.MustCompile(`/models?/([^/:?]+)`)

// named gives a body that names no model, since its API has that elsewhere, the name that the record around it has. false: it has one.
func named(body loose.Object, around ...loose.Object) bool {
	if body["model"].Filled() {
		return false
	}
	for _, o := range around {
		name := o.Get([]string{"model", "modelid", "modelname", "providedmodelname"}).Text()
		for _, path := range o.Names(pathNames, false) {
			if m := modelPath.FindStringSubmatch(o[path].Text()); name == "" && m != nil {
				name = m[1]
			}
		}
		if name != "" {
			body["model"] = loose.Made(name)
			return true
		}
	}
	return false
}
