package fleet

import (
	"bytes"
	"encoding/json"

	"warmroute/hostsim/internal/rawjson"
)

// quickBody reads a body as json.Unmarshal does, several times faster, where nothing about it is unusual: members have their names as they
// are, once, and the types that they must have. nil: it is left to json.Unmarshal, which also says what is wrong.
func quickBody(data []byte) *body {
	if !rawjson.Valid(data) {
		return nil
	}
	if data = bytes.TrimSpace(data); data[0] != '{' {
		return nil
	}
	b := new(body)
	long := map[string]*json.RawMessage{
		"tools": &b.Tools, "prompt": &b.Prompt, "input": &b.Input, "instructions": &b.Instructions, "system": &b.System,
	}
	rest := []byte{'{'} // without what is long
	var turns []byte
	usual := eachUsual(data, func(name string, part []byte) bool {
		if to := long[name]; to != nil {
			known := *to != nil
			*to = part
			return !known
		}
		if name == "messages" {
			known := turns != nil
			turns = part
			return !known
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
	if turns != nil && !b.quickMessages(turns) {
		return nil
	}
	return b
}

// quickMessages reads a list of messages; false: they are unusual.
func (b *body) quickMessages(list []byte) (usual bool) {
	if list[0] != '[' {
		return false
	}
	b.Messages, usual = []message{}, true
	rawjson.Each(list, func(_, turn []byte) {
		var m message
		usual = usual && turn[0] == '{' && eachUsual(turn, func(name string, part []byte) bool {
			var text *string
			switch name {
			case "role":
				text = &m.Role
			case "tool_call_id":
				text = &m.ToolCallID
			case "content":
				known := m.Content != nil
				m.Content = part
				return !known
			case "tool_calls":
				known := m.ToolCalls != nil
				m.ToolCalls = part
				return !known
			default:
				return true
			}
			known := *text != ""
			if part[0] == '"' {
				*text = string(rawjson.Text(part))
			}
			return !known && (part[0] == '"' || part[0] == 'n')
		})
		b.Messages = append(b.Messages, m)
	})
	return usual
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
