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
	if prompt := unquote(o["prompt"]); turns(prompt) && !filled(o["messages"]) {
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
	contents := items(o["contents"])
	return len(contents) > 0 && items(asObject(contents[0])["parts"]) != nil
}

func gemini(o object) object {
	var turns []object
	if system := asObject(o.get([]string{"systeminstruction"})); system != nil {
		turns = append(turns, geminiTurn(system, "system"))
	}
	for _, item := range items(o["contents"]) {
		content := asObject(item)
		role := roles[text(content["role"])]
		if role != "assistant" {
			role = "user"
		}
		turns = append(turns, geminiTurn(content, role))
	}
	out := o.without("contents", "systeminstruction", "generationconfig", "tools", "toolconfig", "safetysettings")
	out["messages"] = made(chatMessages(made(turns)))
	if n, ok := whole(asObject(o.get([]string{"generationconfig"})).get([]string{"maxoutputtokens"})); ok {
		out["max_tokens"] = made(n)
	}
	var tools []object
	for _, tool := range items(o["tools"]) {
		for _, function := range items(asObject(tool).get([]string{"functiondeclarations"})) {
			f := asObject(function)
			tools = append(tools, functionTool(f["name"], f["description"], f.get([]string{"parameters", "parametersjsonschema"})))
		}
	}
	out.tools(tools)
	return out
}

// geminiTurn makes a message in OpenTelemetry's form, which chatMessages reads.
func geminiTurn(content object, role string) object {
	var parts []object
	for _, item := range items(content["parts"]) {
		p := asObject(item)
		call, response := asObject(p.get([]string{"functioncall"})), asObject(p.get([]string{"functionresponse"}))
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
	for _, item := range items(o["messages"]) {
		for _, part := range items(asObject(item)["content"]) {
			p := asObject(part)
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
	if system := items(o["system"]); len(system) > 0 {
		turns = append(turns, converseTurn(system, "system"))
	}
	for _, item := range items(o["messages"]) {
		m := asObject(item)
		turns = append(turns, converseTurn(items(m["content"]), text(m["role"])))
	}
	out := o.without("system", "inferenceconfig", "toolconfig")
	out["messages"] = made(chatMessages(made(turns)))
	if n, ok := whole(asObject(o["inferenceConfig"])["maxTokens"]); ok {
		out["max_tokens"] = made(n)
	}
	var tools []object
	for _, tool := range items(asObject(o["toolConfig"])["tools"]) {
		if spec := asObject(asObject(tool)["toolSpec"]); spec != nil {
			tools = append(tools, functionTool(spec["name"], spec["description"], asObject(spec["inputSchema"])["json"]))
		}
	}
	out.tools(tools)
	return out
}

func converseTurn(content []*value, role string) object {
	var parts []object
	for _, item := range content {
		p := asObject(item)
		use, result := asObject(p["toolUse"]), asObject(p["toolResult"])
		switch {
		case p["text"] != nil:
			parts = append(parts, textPart(p["text"]))
		case use != nil:
			parts = append(parts, callPart(use["toolUseId"], use["name"], use["input"]))
		case result != nil:
			var b strings.Builder
			for _, one := range items(result["content"]) {
				b.WriteString(words(firstOf(asObject(one)["text"], asObject(one)["json"])))
			}
			parts = append(parts, resultPart(result["toolUseId"], made(b.String())))
		case p["guardContent"] != nil:
			parts = append(parts, textPart(asObject(asObject(p["guardContent"])["text"])["text"]))
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
	return object{"type": made("file"), "hash": made(fmt.Sprintf("%016x", xxhash.Sum64(compact(raw))))}
}

func functionTool(name, description, parameters *value) object {
	f := object{"name": name}
	for member, value := range map[string]*value{"description": description, "parameters": parameters} {
		if filled(value) {
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
		if filled(v) {
			return v
		}
	}
	return null
}

// modelPath is where Gemini's and Bedrock's paths name the model.
var modelPath = regexp.MustCompile(`/models?/([^/:?]+)`)

// named gives a body that names no model, since its API has that elsewhere, the name that the record around it has. false: it has one.
func named(body object, around ...object) bool {
	if filled(body["model"]) {
		return false
	}
	for _, o := range around {
		name := text(o.get([]string{"model", "modelid", "modelname", "providedmodelname"}))
		for _, path := range o.names(pathNames, false) {
			if m := modelPath.FindStringSubmatch(text(o[path])); name == "" && m != nil {
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
