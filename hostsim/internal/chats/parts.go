package chats

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"warmroute/hostsim/internal/loose"
)

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
