package logs

import (
	"fmt"
	"maps"
	"regexp"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// translated returns a request to an API that the replicas do not have as a chat: Gemini's generateContent, Amazon Bedrock's Converse,
// LangChain's messages, or messages under the name of a prompt. The other members stay. nil: it needs no translation.
func translated(o object) object {
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
		chat := o.without("prompt")
		chat["messages"] = prompt
		return chat
	}
	return nil
}

// without copies an object, less the members of these names.
func (o object) without(names ...string) object {
	out := maps.Clone(o)
	for _, name := range names {
		for _, member := range out.names([]string{name}, false) {
			delete(out, member)
		}
	}
	return out
}

// isGemini says whether an object is a body of generateContent (ai.google.dev, "Generating content"): contents with parts.
func isGemini(o object) bool {
	contents := o["contents"].Items()
	return len(contents) > 0 && contents[0].Object()["parts"].Items() != nil
}

func gemini(o object) object {
	var turns []object
	if system := o.get([]string{"systeminstruction"}).Object(); system != nil {
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
	out := o.without("contents", "systeminstruction", "generationconfig", "tools", "toolconfig", "safetysettings")
	out["messages"] = made(chatMessages(made(turns)))
	if n, ok := o.get([]string{"generationconfig"}).Object().get([]string{"maxoutputtokens"}).Whole(); ok {
		out["max_tokens"] = made(n)
	}
	var tools []object
	for _, tool := range o["tools"].Items() {
		for _, function := range tool.Object().get([]string{"functiondeclarations"}).Items() {
			f := function.Object()
			tools = append(tools, functionTool(f["name"], f["description"], f.get([]string{"parameters", "parametersjsonschema"})))
		}
	}
	out.tools(tools)
	return out
}

// geminiTurn makes a message in OpenTelemetry's form, which chatMessages reads.
func geminiTurn(content object, role string) object {
	var parts []object
	for _, item := range content["parts"].Items() {
		p := item.Object()
		call, response := p.get([]string{"functioncall"}).Object(), p.get([]string{"functionresponse"}).Object()
		switch {
		case p["thought"].is("true"): // the model's own, left out of later turns
		case p["text"] != nil:
			parts = append(parts, textPart(p["text"]))
		case call != nil:
			parts = append(parts, callPart(firstOf(call["id"], call["name"]), call["name"], call["args"]))
		case response != nil:
			parts = append(parts, resultPart(firstOf(response["id"], response["name"]), response["response"]))
		default:
			parts = append(parts, otherPart(item))
		}
	}
	return object{"role": made(role), "parts": made(parts)}
}

// isConverse says whether an object is a body of Bedrock's Converse: its messages have parts that are named by their one member,
// where other APIs' have a type.
func isConverse(o object) bool {
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

func converse(o object) object {
	var turns []object
	if system := o["system"].Items(); len(system) > 0 {
		turns = append(turns, converseTurn(system, "system"))
	}
	for _, item := range o["messages"].Items() {
		m := item.Object()
		turns = append(turns, converseTurn(m["content"].Items(), m["role"].Text()))
	}
	out := o.without("system", "inferenceconfig", "toolconfig")
	out["messages"] = made(chatMessages(made(turns)))
	if n, ok := o["inferenceConfig"].Object()["maxTokens"].Whole(); ok {
		out["max_tokens"] = made(n)
	}
	var tools []object
	for _, tool := range o["toolConfig"].Object()["tools"].Items() {
		if spec := tool.Object()["toolSpec"].Object(); spec != nil {
			tools = append(tools, functionTool(spec["name"], spec["description"], spec["inputSchema"].Object()["json"]))
		}
	}
	out.tools(tools)
	return out
}

func converseTurn(content []*value, role string) object {
	var parts []object
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
				b.WriteString(firstOf(one.Object()["text"], one.Object()["json"]).Words())
			}
			parts = append(parts, resultPart(result["toolUseId"], made(b.String())))
		case p["guardContent"] != nil:
			parts = append(parts, textPart(p["guardContent"].Object()["text"].Object()["text"]))
		case p["cachePoint"] != nil || p["reasoningContent"] != nil:
		default:
			parts = append(parts, otherPart(item))
		}
	}
	return object{"role": made(role), "parts": made(parts)}
}

func textPart(s *value) object { return object{"type": made("text"), "content": s} }

func callPart(id, name, arguments *value) object {
	return object{"type": made("tool_call"), "id": id, "name": name, "arguments": arguments}
}

func resultPart(id, result *value) object {
	return object{"type": made("tool_call_response"), "id": id, "response": result}
}

// otherPart stands for an image or a file: it differs with it, and is short.
func otherPart(raw *value) object {
	return object{"type": made("file"), "hash": made(fmt.Sprintf("%016x", xxhash.Sum64(raw.Compact())))}
}

func functionTool(name, description, parameters *value) object {
	f := object{"name": name}
	for member, value := range map[string]*value{"description": description, "parameters": parameters} {
		if value.Filled() {
			f[member] = value
		}
	}
	return object{"type": made("function"), "function": made(f)}
}

func (o object) tools(tools []object) {
	if len(tools) > 0 {
		o["tools"] = made(tools)
	}
}

// firstOf is the first value that is filled, or null.
func firstOf(values ...*value) *value {
	for _, v := range values {
		if v.Filled() {
			return v
		}
	}
	return null
}

// modelPath is where Gemini's and Bedrock's paths name the model.
var modelPath = regexp.MustCompile(`/models?/([^/:?]+)`)

// named gives a body that names no model, since its API has that elsewhere, the name that the record around it has. false: it has one.
func named(body object, around ...object) bool {
	if body["model"].Filled() {
		return false
	}
	for _, o := range around {
		name := o.get([]string{"model", "modelid", "modelname", "providedmodelname"}).Text()
		for _, path := range o.names(pathNames, false) {
			if m := modelPath.FindStringSubmatch(o[path].Text()); name == "" && m != nil {
				name = m[1]
			}
		}
		if name != "" {
			body["model"] = made(name)
			return true
		}
	}
	return false
}
