// Package chats knows what a request to a model looks like: which objects are bodies, and what whole conversations, Gemini's generateContent
// (ai.google.dev, "Generating content"), Amazon Bedrock's Converse, LangChain's messages and OpenTelemetry's parts are as chat completions,
// the form that the replicas read.
//
// It looks at one object at a time, and does not know what a log has around it.
package chats

import (
	"slices"

	"warmroute/hostsim/internal/loose"
)

// IsBody says whether an object is a request to a model.
func IsBody(o loose.Object) bool {
	if o == nil {
		return false
	}
	switch {
	case o["messages"].Unquote().IsList(), isGemini(o):
		return true
	case o["prompt"].Filled():
		return isPrompt(o["prompt"])
	case o["input"].Filled() && (o["model"].Filled() || o["output"].Filled() && isPrompt(o["output"])): // the latter a pair of texts
		return isPrompt(o["input"])
	}
	return false
}

// isPrompt says whether a member is a prompt, as text or as a list, and no text of a body.
func isPrompt(raw *loose.Value) bool {
	inside := raw.Unquote()
	return inside.Begins('"') || inside.Begins('[') || len(inside.Bytes()) > 0 && raw.Begins('"') && !IsBody(inside.Object())
}

// AsTexts says whether a body has its messages as one text.
func AsTexts(o loose.Object) bool { return o["messages"].Begins('"') }

// chatNames are the members that are told by their exact names, chatMembers the same as loose.Plain gives them.
var (
	chatNames   = []string{"model", "messages", "prompt", "input", "output", "role", "content", "system", "tools", "max_tokens", "instructions"}
	chatMembers = plains(chatNames)
)

func plains(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = loose.Plain(name)
	}
	return out
}

// Rename gives members such as Prompt, as spreadsheets and some programs write them, the names that bodies have; false: it has none.
func Rename(o loose.Object) (any bool) {
	for _, name := range o.Names(chatMembers, false) {
		if known := chatNames[slices.Index(chatMembers, loose.Plain(name))]; name != known && o[known] == nil {
			o[known], any = o[name], true
			delete(o, name)
		}
	}
	return any
}

// Translated returns a request to an API that the replicas do not have as a chat: Gemini's generateContent, Amazon Bedrock's Converse,
// LangChain's messages, or messages under the name of a prompt. The other members stay. nil: it needs no translation.
func Translated(o loose.Object) loose.Object {
	switch {
	case isGemini(o):
		return gemini(o)
	case isConverse(o):
		return converse(o)
	}
	if chat := langchain(o); chat != nil {
		return chat
	}
	if prompt := o["prompt"].Unquote(); IsTurns(prompt) && !o["messages"].Filled() {
		chat := o.Without("prompt")
		chat["messages"] = prompt
		return chat
	}
	return nil
}
