package chats

import (
	"strings"

	"warmroute/hostsim/internal/loose"
)

// roles are chat completions', by the names that data sets and others have for them.
var roles = map[string]string{
	"human": "user", "ai": "assistant", "user": "user", "gpt": "assistant", "chatgpt": "assistant", "bing": "assistant", "bard": "assistant", "bot": "assistant", "assistant": "assistant",
	"model": "assistant", "system": "system", "tool": "tool", "function": "tool", "observation": "tool", "developer": "developer",
}

// Role is the role of chat completions that a name stands for; "": it is none.
func Role(name string) string { return roles[name] }

// IsTurns says whether JSON is a list of messages.
func IsTurns(raw *loose.Value) bool {
	all := raw.Items()
	if len(all) == 0 {
		return false
	}
	first := all[0].Object()
	role, _ := langchainRole(first)
	return role != "" || Role(first["role"].Text()) != ""
}

// langchainRole is the role of one of LangChain's messages: as its constructor's arguments ({"lc", "id", "kwargs"}), as
// messages_to_dict writes it ({"type", "data"}), or with type and content. "": o is none of these.
func langchainRole(o loose.Object) (role string, message loose.Object) {
	kind := o["type"].Text()
	switch {
	case o["kwargs"] != nil && o["id"].Filled():
		message = o["kwargs"].Object()
		if id := o["id"].Items(); len(id) > 0 {
			kind = id[len(id)-1].Text()
		}
	case o["data"].Object() != nil:
		message = o["data"].Object()
	case o["content"] != nil && o["role"] == nil:
		message = o
	case o["role"].Text() == "human" || o["role"].Text() == "ai":
		message, kind = o, o["role"].Text()
	default:
		return "", nil
	}
	kind = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(kind, "Chunk"), "Message"))
	return Role(kind), message
}
