package prompt

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/valyala/fastjson"
)

// elements reads text, token ids, or arrays of either; objects too where the prompt is at a pointer.
func elements(v *fastjson.Value, pointed bool) (s string, tokens bool, err error) {
	switch v.Type() {
	case fastjson.TypeNull:
		return "", false, nil
	case fastjson.TypeString:
		return "\xfd" + str(v), false, nil
	case fastjson.TypeArray:
	default:
		if pointed {
			return dumped(v), false, nil
		}
		return "", false, errShape
	}
	kind := ""
	for _, e := range v.GetArray() {
		this := "text"
		switch e.Type() {
		case fastjson.TypeString:
			s += "\xfd" + str(e)
		case fastjson.TypeNumber:
			this = "token"
			err = addToken(&s, e)
		case fastjson.TypeArray:
			this = "tokens"
			if kind == this {
				s += tokenBreak
			}
			for _, t := range e.GetArray() {
				if err == nil {
					err = addToken(&s, t)
				}
			}
		case fastjson.TypeObject:
			if this = kind; !pointed {
				err = errShape
			}
			s += dumped(e)
		default:
			err = errShape
		}
		if err != nil {
			return "", false, err
		}
		if kind != "" && this != "" && kind != this {
			return "", false, errShape
		}
		kind = this
	}
	return s, kind == "token" || kind == "tokens", nil
}

func addToken(s *string, v *fastjson.Value) error {
	if v.Type() != fastjson.TypeNumber {
		return errShape
	}
	n, err := strconv.ParseUint(v.String(), 10, 32)
	if err != nil {
		return errShape
	}
	*s += string(binary.LittleEndian.AppendUint32(nil, uint32(n)))
	return nil
}

// follow puts what the pointer names into o. It looks at members of equal names one after another: the last counts, but
// all must be valid.
func (o *oracleBody) follow(v *fastjson.Value, pointer string) (found bool, err error) {
	o.ranks[rankPrompt], o.tokens[rankPrompt] = "", false
	if pointer == "" {
		o.ranks[rankPrompt], o.tokens[rankPrompt], err = elements(v, true)
		return true, err
	}
	name, rest, more := strings.Cut(pointer[1:], "/")
	if more {
		rest = "/" + rest
	}
	name = unescapePointer(name)
	switch v.Type() {
	case fastjson.TypeObject:
		v.GetObject().Visit(func(k []byte, w *fastjson.Value) {
			if string(k) == name && err == nil {
				found, err = o.follow(w, rest)
			}
		})
	case fastjson.TypeArray:
		if i, bad := strconv.Atoi(name); bad == nil && strconv.Itoa(i) == name && i >= 0 && i < len(v.GetArray()) {
			return o.follow(v.GetArray()[i], rest)
		}
	}
	return found, err
}

func unescapePointer(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~1", "/"), "~0", "~")
}
