package prompt

import (
	"strings"

	"github.com/valyala/fastjson"
)

// systemPrompt is that of a document; without any text there is none.
func (o *oracleBody) systemPrompt(v *fastjson.Value) (string, error) {
	s, err := orNull(v, after("\xfes", o.systemTexts(true)))
	if s == "\xfes" || s == "\xfes\xfd" {
		s = ""
	}
	return s, err
}

// systemTexts are the contents of the system. Anthropic's texts go whole if they begin with billing, but for a string in the place of
// its system prompt; the parts of input items stay.
func (o *oracleBody) systemTexts(lineOfString bool) reader {
	part := func(v *fastjson.Value) (string, error) {
		s, err := plain(v)
		return unbilled(s, o.Format != Messages), err
	}
	if o.Format == Responses {
		part = after("\xfd", plain)
	}
	return func(v *fastjson.Value) (string, error) {
		if v.Type() == fastjson.TypeString {
			return unbilled(str(v), lineOfString), nil
		}
		return each(v, func(v *fastjson.Value) (string, error) {
			if v.Type() == fastjson.TypeString {
				return part(v)
			}
			return o.partOf(v, part)
		})
	}
}

// unbilled is a text with its mark; without its first line, or without all of it, if it begins with billing.
func unbilled(s string, line bool) string {
	if strings.HasPrefix(s, "x-anthropic-billing-header") {
		if _, s, _ = strings.Cut(s, "\n"); s == "" || !line {
			return ""
		}
	}
	return "\xfd" + s
}

// contentsOf are the contents of a turn. Of several roles that which has come before them counts, if there is one.
func (o *oracleBody) contentsOf(turn *fastjson.Value) reader {
	return func(v *fastjson.Value) (string, error) {
		role, come := "", false
		turn.GetObject().Visit(func(k []byte, w *fastjson.Value) {
			if come = come || w == v; string(k) == "role" && (!come || role == "" || role[0] == '?') {
				role, _ = orNull(w, roleName)
				if come {
					role = "?" + role
				}
			}
		})
		if role == "s" || role == "?s" {
			return notEmpty(v, "\xfd", o.systemTexts(o.Format != Messages))
		}
		return o.contents(v)
	}
}

// notEmpty reads a text; an empty one counts as absent.
func notEmpty(v *fastjson.Value, mark string, read reader) (string, error) {
	s, err := read(v)
	if v.Type() == fastjson.TypeString && s == mark {
		s = ""
	}
	return s, err
}

func reasoning(v *fastjson.Value) (string, error) {
	if v.Type() == fastjson.TypeObject {
		return after("\xfbr", func(v *fastjson.Value) (string, error) { return join(v, []part{{"data", leaf}}) })(v)
	}
	return notEmpty(v, "\xfbr", after("\xfbr", plain))
}
