package prompt

import (
	"strings"

	"github.com/valyala/fastjson"
)

// reader makes canonical bytes of a value that is not null.
type reader func(v *fastjson.Value) (string, error)

// orNull is read for values that may be null, which is as if absent.
func orNull(v *fastjson.Value, read reader) (string, error) {
	if v.Type() == fastjson.TypeNull {
		return "", nil
	}
	return read(v)
}

// each joins the elements of an array.
func each(v *fastjson.Value, read reader) (string, error) {
	if v.Type() != fastjson.TypeArray {
		return "", errShape
	}
	var b strings.Builder
	for _, e := range v.GetArray() {
		s, err := orNull(e, read)
		if err != nil {
			return "", err
		}
		b.WriteString(s)
	}
	return b.String(), nil
}

// part is a member of a record.
type part struct {
	key  string
	read reader
}

// join reads the members of an object in the order of parts; of equal names the last counts, but all must be valid.
func join(v *fastjson.Value, parts []part) (string, error) {
	if v.Type() != fastjson.TypeObject {
		return "", errShape
	}
	found := make([]string, len(parts))
	var err error
	v.GetObject().Visit(func(k []byte, w *fastjson.Value) {
		for i := range parts {
			if parts[i].key == string(k) && err == nil {
				found[i], err = orNull(w, parts[i].read)
			}
		}
	})
	return strings.Join(found, ""), err
}

func after(mark string, read reader) reader {
	return func(v *fastjson.Value) (string, error) {
		s, err := read(v)
		return mark + s, err
	}
}

func plain(v *fastjson.Value) (string, error) {
	if v.Type() != fastjson.TypeString {
		return "", errShape
	}
	return str(v), nil
}

func tools(v *fastjson.Value) (string, error) {
	if v.Type() == fastjson.TypeNull {
		return "", nil
	}
	if v.Type() != fastjson.TypeArray {
		return "", errShape
	}
	s := ""
	for _, e := range v.GetArray() {
		if e.Type() == fastjson.TypeObject {
			s += "\xff\xf9" + dumpMembers(e, "cache_control") + "\xf8"
		} else if e.Type() == fastjson.TypeString || e.Type() == fastjson.TypeArray {
			s += "\xff" + dumped(e)
		} else {
			s += dumped(e)
		}
	}
	return s, nil
}

func dumped(v *fastjson.Value) string {
	switch v.Type() {
	case fastjson.TypeString:
		return "\xf6" + str(v)
	case fastjson.TypeArray:
		s := "\xf7"
		for _, e := range v.GetArray() {
			s += dumped(e)
		}
		return s + "\xf8"
	case fastjson.TypeObject:
		return "\xf9" + dumpMembers(v, "") + "\xf8"
	}
	return "\xf5" + short(v.String())
}

func dumpMembers(v *fastjson.Value, except string) string {
	var b strings.Builder
	v.GetObject().Visit(func(k []byte, w *fastjson.Value) {
		if except == "" || except != string(k) {
			b.WriteString("\xf6" + short(string(k)) + dumped(w))
		}
	})
	return b.String()
}

func (o *oracleBody) turns(v *fastjson.Value, read func(*fastjson.Value) (string, string, error)) (string, error) {
	o.system, o.hasUser, o.user = 0, false, [2]int{}
	all, leading := "", true
	_, err := orNull(v, func(v *fastjson.Value) (string, error) {
		return each(v, func(turn *fastjson.Value) (string, error) {
			s, role, err := read(turn)
			if leading = leading && (role == "system" || role == "developer"); leading {
				o.system = len(all) + len(s)
			}
			if role == "user" && !o.hasUser {
				o.hasUser, o.user = true, [2]int{len(all), len(all) + len(s)}
			}
			all += s
			return "", err
		})
	})
	return all, err
}

func (o *oracleBody) message(v *fastjson.Value) (string, string, error) {
	s, err := join(v, []part{
		{"role", roleName}, {"content", o.contentsOf(v)}, {"reasoning_content", reasoning}, {"reasoning", reasoning},
		{"name", after("\xfbn", plain)}, {"tool_call_id", after("\xfbi", plain)}, {"refusal", after("\xfbf", plain)},
		{"tool_calls", func(v *fastjson.Value) (string, error) { return each(v, call) }},
		{"function_call", after("\xfa", function)}, {"audio", o.media},
	})
	return "\xfe" + s, captured(last(v, "role")), err
}

func (o *oracleBody) item(v *fastjson.Value) (string, string, error) {
	s, err := join(v, []part{
		{"role", roleName}, {"content", o.contentsOf(v)}, {"call_id", after("\xfbi", plain)}, {"name", after("\xfbn", plain)},
		{"arguments", arguments}, {"input", arguments},
		{"output", func(v *fastjson.Value) (string, error) {
			switch v.Type() {
			case fastjson.TypeObject:
				return "\xfbo" + dumped(v), nil
			case fastjson.TypeString:
				return "\xfbo" + str(v), nil
			}
			return after("\xfbo", func(v *fastjson.Value) (string, error) { return each(v, o.contentPart) })(v)
		}},
		{"summary", o.contentsOf(v)}, {"encrypted_content", sealed}, {"action", arguments},
	})
	return "\xfe" + s, captured(last(v, "role")), err
}

func roleName(v *fastjson.Value) (string, error) {
	if v.Type() != fastjson.TypeString {
		return "", errShape
	}
	switch s := short(str(v)); s {
	case "user", "assistant", "system", "developer", "tool", "function":
		return s[:1], nil
	default:
		return "x" + s, nil
	}
}

func (o *oracleBody) contents(v *fastjson.Value) (string, error) {
	if v.Type() == fastjson.TypeString {
		return notEmpty(v, "\xfd", after("\xfd", plain))
	}
	return each(v, o.contentPart)
}

func (o *oracleBody) contentPart(v *fastjson.Value) (string, error) {
	if v.Type() == fastjson.TypeString {
		return "\xfd" + str(v), nil
	}
	return o.partOf(v, after("\xfd", plain))
}

func (o *oracleBody) partOf(v *fastjson.Value, text reader) (string, error) {
	media := o.media
	parts := []part{
		{"text", text}, {"refusal", after("\xfbf", plain)}, {"thinking", reasoning},
		{"id", after("\xfbi", plain)}, {"tool_use_id", after("\xfbi", plain)}, {"name", after("\xfbn", plain)},
		{"input", arguments}, {"title", after("\xfbt", plain)}, {"context", after("\xfbc", plain)}, {"content", o.contents},
		{"image_url", media}, {"input_audio", media}, {"audio_url", media}, {"video_url", media}, {"file", media},
		{"source", media}, {"image", media}, {"audio", media}, {"video", media}, {"image_embeds", media},
		{"audio_embeds", media}, {"file_id", media}, {"file_data", media}, {"file_url", media},
	}
	if o.Format != Messages {
		parts = append(parts, part{"data", media})
	}
	return join(v, parts)
}

func (o *oracleBody) media(v *fastjson.Value) (string, error) {
	if v.Type() == fastjson.TypeString {
		return medium(str(v)), nil
	}
	return join(v, []part{{"url", leaf}, {"data", leaf}, {"file_id", leaf}, {"file_data", leaf}, {"file_url", leaf}, {"id", leaf},
		{"image_embeds", leaf}, {"content", o.contents}})
}

// leaf is a medium's text.
func leaf(v *fastjson.Value) (string, error) {
	s, err := plain(v)
	return medium(s), err
}

// sealed is what only the server can read.
func sealed(v *fastjson.Value) (string, error) {
	s, err := plain(v)
	return "\xfc" + hex16(s), err
}

// medium is an image, a sound or a video: its digest, as often as makes it as long as the text of so many tokens.
func medium(data string) string { return strings.Repeat("\xfc"+hex16(data), mediumTimes) }

func call(v *fastjson.Value) (string, error) {
	return after("\xfa", func(v *fastjson.Value) (string, error) {
		return join(v, []part{{"id", after("\xfbi", plain)}, {"function", function}, {"custom", function}})
	})(v)
}

func function(v *fastjson.Value) (string, error) {
	return join(v, []part{{"name", after("\xfbn", plain)}, {"arguments", arguments}, {"input", arguments}})
}

func arguments(v *fastjson.Value) (string, error) {
	switch v.Type() {
	case fastjson.TypeString:
		return "\xfba" + str(v), nil
	case fastjson.TypeObject, fastjson.TypeArray:
		return "\xfba" + dumped(v), nil
	}
	return dumped(v), nil
}
