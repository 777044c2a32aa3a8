package render

import (
	"bytes"
	"encoding/json"

	"warmroute/hostsim/internal/rawjson"
)

// billing begins what Claude Code puts before its system prompt. vLLM 0.32 and 0.33 leave it out: of Anthropic's messages a text block
// (entrypoints/anthropic/serving.py), of other system texts the first line (renderers/chat_utils).
const billing = "x-anthropic-billing-header"

// billed gives the text of a content that is a string and begins with billing.
func billed(content json.RawMessage) ([]byte, bool) {
	if len(content) < len(billing) || content[0] != '"' || content[1] != billing[0] && content[1] != '\\' {
		return nil, false
	}
	text := rawjson.Text(content)
	return text, bytes.HasPrefix(text, []byte(billing))
}

// withoutBlocks is a system content of Anthropic's messages without the blocks that begin with billing.
func withoutBlocks(content json.RawMessage) json.RawMessage {
	return eachBilled(content, func([]byte) []byte { return nil })
}

// withoutLines is a system content without the lines that are billing; of a list, a text of nothing else is left out.
func withoutLines(content json.RawMessage) json.RawMessage {
	rest := func(text []byte) []byte {
		_, rest, _ := bytes.Cut(text, []byte{'\n'})
		return rest
	}
	if text, is := billed(content); is {
		return quoted(rest(text))
	}
	return eachBilled(content, rest)
}

// eachBilled puts another text into the parts that begin with billing; one that has none left is left out.
func eachBilled(content json.RawMessage, rest func(text []byte) []byte) json.RawMessage {
	if len(content) == 0 || content[0] != '[' || !bytes.Contains(content, []byte(billing)) {
		return content
	}
	var kept []json.RawMessage
	for _, raw := range rawItems(content) {
		var p part
		if json.Unmarshal(raw, &p) == nil && p.Type == "text" && bytes.HasPrefix([]byte(p.Text), []byte(billing)) {
			text := rest([]byte(p.Text))
			if len(text) == 0 {
				continue
			}
			raw = append(append([]byte(`{"type":"text","text":`), quoted(text)...), '}')
		}
		kept = append(kept, raw)
	}
	return joined(kept)
}

func quoted(text []byte) json.RawMessage {
	b, _ := json.Marshal(string(text)) // a string has no errors
	return b
}
