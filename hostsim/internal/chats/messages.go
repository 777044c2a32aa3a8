package chats

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"warmroute/hostsim/internal/loose"
)

// Messages reads a list of messages, as JSON or a string with it: those with parts, of OpenTelemetry, become the messages of
// chat completions; others are taken as they are.
func Messages(raw *loose.Value) []loose.Object {
	var out []loose.Object
	for _, item := range raw.Unquote().Items() {
		m := item.Object()
		if m["role"].Text() == "" {
			continue
		}
		parts := m["parts"].Items()
		if parts == nil {
			if m["content"].Filled() || m["tool_calls"].Filled() {
				out = append(out, m)
			}
			continue
		}
		message := loose.Object{"role": m["role"], "content": contentOf(parts)}
		var calls []any
		for _, part := range parts {
			p := part.Object()
			switch p["type"].Text() {
			case "tool_call":
				calls = append(calls, map[string]any{"id": p["id"].Text(), "type": "function",
					"function": map[string]string{"name": p["name"].Text(), "arguments": p["arguments"].Words()}})
			case "tool_call_response":
				result := p["response"]
				if !result.Filled() {
					result = p["result"]
				}
				out = append(out, loose.Object{"role": loose.Made("tool"), "tool_call_id": loose.Made(p["id"].Text()), "content": loose.Made(result.Words())})
			}
		}
		if calls != nil {
			message["tool_calls"] = loose.Made(calls)
		}
		if calls != nil || message["content"].Filled() {
			out = append(out, message)
		}
	}
	return out
}

// contentOf is a message's content: its text or, if pictures or files are among it, parts as chat completions have them.
func contentOf(items []*loose.Value) *loose.Value {
	var parts []loose.Object
	media := false
	for _, item := range items {
		switch p := item.Object(); {
		case p["type"].Text() == "text" || p["type"].Text() == "":
			parts = append(parts, loose.Object{"type": loose.Made("text"), "text": loose.Made(p["content"].Text())})
		case isMedium(p):
			media = true
			url := loose.Object{"url": loose.Made(fmt.Sprintf("media:%016x", xxhash.Sum64(item.Compact())))}
			parts = append(parts, loose.Object{"type": loose.Made("image_url"), "image_url": loose.Made(url)})
		}
	}
	if media {
		return loose.Made(parts)
	}
	var text strings.Builder
	for _, p := range parts {
		text.WriteString(p["text"].Text())
	}
	return loose.Made(text.String())
}

// isMedium says whether a part is a picture, a sound, a video or a file: OpenTelemetry's blob, file and uri, or one named so. There are others
// that are none, such as the calls of tools that a server runs itself.
func isMedium(p loose.Object) bool {
	kind := p["type"].Text()
	return p["modality"].Filled() || slices.Contains([]string{"blob", "file", "uri"}, kind) ||
		slices.ContainsFunc([]string{"image", "audio", "video"}, func(name string) bool { return strings.Contains(kind, name) })
}

// PartsText is the text of OpenTelemetry's parts; a model's own thoughts are left out, as templates leave them out of later turns.
func PartsText(raw *loose.Value) string {
	var b strings.Builder
	for _, part := range raw.Unquote().Items() {
		switch p := part.Object(); p["type"].Text() {
		case "text", "":
			b.WriteString(p["content"].Text())
		case "tool_call", "tool_call_response", "reasoning":
		default: // an image, or what comes later: what is known of it
			b.Write(part.Compact())
		}
	}
	return b.String()
}
