package render

import (
	"bytes"
	"encoding/json"

	"warmroute/hostsim/internal/rawjson"
)

// quickBody reads a body as json.Unmarshal does, several times faster, where nothing about it is unusual: members have their names as they
// are, once, and the types that they must have. nil: it is left to json.Unmarshal, which also says what is wrong.
func quickBody(data []byte) *Body {
	if !rawjson.Valid(data) {
		return nil
	}
	if data = bytes.TrimSpace(data); data[0] != '{' {
		return nil
	}
	b := new(Body)
	var turns json.RawMessage
	rest := []byte{'{'} // the members that are short
	usual := eachUsual(data, func(name string, part []byte) bool {
		if raw := b.long(name, &turns); raw != nil {
			return take(part, nil, raw)
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		rest = append(append(append(append(rest, '"'), name...), `":`...), part...)
		return true
	})
	if !usual || json.Unmarshal(append(rest, '}'), b) != nil {
		return nil
	}
	if turns != nil {
		items, usual := quickList[item](turns)
		if !usual {
			return nil
		}
		b.Messages = make([]message, len(items))
		for i := range items {
			b.Messages[i] = items[i].message
		}
	}
	return b
}

// long is where a body has a member that may be long; nil: it is short.
func (b *Body) long(name string, turns *json.RawMessage) *json.RawMessage {
	switch name {
	case "messages":
		return turns
	case "tools":
		return &b.Tools
	case "prompt":
		return &b.Prompt
	case "input":
		return &b.Input
	case "instructions":
		return &b.Instructions
	case "system":
		return &b.System
	}
	return nil
}

// member is where a message or an item has a member; nil: it is not read.
func (m *item) member(name string) (*string, *json.RawMessage) {
	switch name {
	case "role":
		return &m.Role, nil
	case "content":
		return nil, &m.Content
	case "tool_calls":
		return nil, &m.ToolCalls
	case "tool_call_id":
		return &m.ToolCallID, nil
	case "type":
		return &m.Type, nil
	case "call_id":
		return &m.CallID, nil
	case "output":
		return nil, &m.Output
	}
	return nil, nil
}

// member is where a part of a content has a member.
func (p *part) member(name string) (*string, *json.RawMessage) {
	switch name {
	case "type":
		return &p.Type, nil
	case "text":
		return &p.Text, nil
	case "image_url":
		return nil, &p.ImageURL
	case "input_audio":
		return nil, &p.InputAudio
	case "audio_url":
		return nil, &p.AudioURL
	case "video_url":
		return nil, &p.VideoURL
	}
	return nil, nil
}

// quickList reads a list of objects; false: something about it is unusual.
func quickList[T any, P interface {
	*T
	member(string) (*string, *json.RawMessage)
}](list []byte) (out []T, usual bool) {
	if len(list) == 0 || list[0] != '[' {
		return nil, false
	}
	out, usual = []T{}, true
	rawjson.Each(list, func(_, one []byte) {
		var v T
		usual = usual && one[0] == '{' && eachUsual(one, func(name string, part []byte) bool {
			text, raw := P(&v).member(name)
			return take(part, text, raw)
		})
		out = append(out, v)
	})
	if !usual {
		return nil, false
	}
	return out, true
}

// take puts a member where it belongs; false: it is there for the second time, or is no text where one must be.
func take(part []byte, text *string, raw *json.RawMessage) bool {
	switch {
	case raw != nil:
		known := *raw != nil
		*raw = part
		return !known
	case text == nil || part[0] == 'n':
		return true
	case part[0] != '"' || *text != "":
		return false
	}
	*text = string(rawjson.Text(part))
	return true
}

// eachUsual calls each for an object's members until it returns false, or until one has a name that json.Unmarshal might take for
// another one's, or that has to be unescaped.
func eachUsual(data []byte, each func(name string, part []byte) bool) (usual bool) {
	usual = true
	rawjson.Each(data, func(name, part []byte) {
		name = name[1 : len(name)-1]
		for _, c := range name {
			usual = usual && (c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_')
		}
		usual = usual && each(string(name), part)
	})
	return usual
}
