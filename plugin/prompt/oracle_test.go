package prompt

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
	"github.com/valyala/fastjson"

	"warmroute/plugin/prompt/prompttest"
)

// The oracle reads a whole body with fastjson and lays the prompt out from the tree. It shares no code with the scanner
// but the framing bytes and the names of formats. Where fastjson differs from RFC 8259 it is wrapped:
//   - its parser takes NaN, 1-2, control bytes and unknown escapes; its validator does not, and decides here;
//   - its validator overlooks control bytes that stand before an escape in the same string: IsPlain sees them;
//   - both recurse without a bound of 64, and neither takes a byte order mark: IsPlain, and a cut, come first;
//   - lone surrogate escapes and invalid UTF-8 go through it as they are: Clean makes them U+FFFD before.
var (
	errJSON  = errors.New("not JSON")
	errShape = errors.New("unknown shape")
	errNone  = errors.New("no prompt")
)

func oracle(body []byte, f Format, pointer string, limit int) (*Prompt, error) {
	size := len(body)
	body = []byte(strings.TrimPrefix(string(body), "\xef\xbb\xbf"))
	if !prompttest.IsPlain(body, MaxDepth) || fastjson.ValidateBytes(body) != nil {
		return nil, errJSON
	}
	root, err := new(fastjson.Parser).ParseBytes(prompttest.Clean(body))
	if err != nil {
		return nil, errJSON
	}
	o := &oracleBody{Prompt: Prompt{Format: f, BodyBytes: size}}
	if err := o.read(root, pointer); err != nil {
		return nil, err
	}
	return o.lay(limit)
}

type oracleBody struct {
	Prompt
	ranks   [rankPrompt + 6]string
	tokens  [rankPrompt + 6]bool
	session [5]string // in the order of Source
	system  int       // length of the leading system turns
	user    [2]int    // the first user turn
	hasUser bool
	streams bool
	beams   bool
}

func (o *oracleBody) lay(limit int) (*Prompt, error) {
	o.Stream = o.streams && !o.beams
	head := strings.Join(o.ranks[:rankPrompt], "")
	prompt := ""
	for r := int(rankPrompt); r < len(o.ranks); r++ {
		if o.ranks[r] != "" {
			prompt, o.Tokens = o.ranks[r], o.tokens[r]
			break
		}
	}
	if prompt == "" && o.Format != ByLoad {
		return nil, errNone
	}
	all := head + prompt
	o.Text = []byte(all[:min(len(all), limit)])
	if n := len(head) + o.system; n > len(o.ranks[rankEffort]+o.ranks[rankArguments]) {
		o.SystemLen = min(n, limit)
	}
	for i, s := range o.session {
		if s != "" {
			o.Session, o.SessionFrom = []byte(s), CacheKey+Source(i)
			return &o.Prompt, nil
		}
	}
	from, to := len(head)+o.user[0], min(len(head)+o.user[1], limit)
	if o.hasUser && from < to {
		o.Session, o.SessionFrom = o.Text[from:to], FirstUserTurn
	}
	return &o.Prompt, nil
}

func (o *oracleBody) read(root *fastjson.Value, pointer string) (err error) {
	if o.Format == Pointer {
		_, err = o.follow(root, pointer)
		if root.Type() == fastjson.TypeObject && err == nil {
			first, _, _ := strings.Cut(strings.TrimPrefix(pointer, "/"), "/")
			root.GetObject().Visit(func(k []byte, v *fastjson.Value) {
				if pointer != "" && unescapePointer(first) != string(k) {
					o.common(string(k), v)
				}
			})
		}
		return err
	}
	if root.Type() != fastjson.TypeObject {
		return errShape
	}
	root.GetObject().Visit(func(k []byte, v *fastjson.Value) {
		if err == nil {
			err = o.member(string(k), v)
		}
	})
	return err
}

func (o *oracleBody) member(key string, v *fastjson.Value) (err error) {
	switch {
	case o.Format == Chat && key == "messages", o.Format == Messages && key == "messages":
		o.ranks[rankPrompt], err = o.turns(v, o.message)
	case o.Format == Chat && key == "reasoning_effort":
		o.ranks[rankEffort] = effort(v)
	case key == "chat_template_kwargs" && (o.Format == Chat || o.Format == Messages || o.Format == Responses):
		o.ranks[rankArguments] = ""
		if v.Type() == fastjson.TypeObject && v.GetObject().Len() > 0 {
			o.ranks[rankArguments] = "\xfbk" + dumped(v)
		}
	case o.Format == Responses && key == "reasoning":
		o.ranks[rankEffort] = effort(last(v, "effort"))
	case o.Format == Chat && key == "tools", o.Format == Messages && key == "tools", o.Format == Responses && key == "tools":
		o.ranks[rankTools], err = tools(v)
	case o.Format == Chat && key == "functions":
		o.ranks[rankFunctions], err = tools(v)
	case o.Format == Chat && key == "documents":
		o.ranks[rankDocuments], err = tools(v)
	case o.Format == Messages && key == "system", o.Format == Responses && key == "instructions":
		o.ranks[rankSystem], err = o.systemPrompt(v)
	case o.Format == Responses && key == "input" && v.Type() == fastjson.TypeString:
		s := "\xfeu\xfd" + str(v)
		o.ranks[rankPrompt], o.system, o.user, o.hasUser = s, 0, [2]int{0, len(s)}, true
	case o.Format == Responses && key == "input":
		o.ranks[rankPrompt], err = o.turns(v, o.item)
	case o.Format == Completions && key == "prompt":
		o.ranks[rankPrompt], o.tokens[rankPrompt], err = elements(v, false)
	case o.Format == Generate && slices.Contains(generateKeys, key):
		r := int(rankPrompt) + slices.Index(generateKeys, key)
		o.ranks[r], o.tokens[r], err = elements(v, false)
	default:
		o.common(key, v)
	}
	return err
}

func effort(v *fastjson.Value) string {
	if v == nil || v.Type() != fastjson.TypeString {
		return ""
	}
	return "\xfbe" + str(v)
}

var generateKeys = []string{"prompt", "text", "inputs", "token_ids", "prompt_token_ids", "input_ids"}

func (o *oracleBody) common(key string, v *fastjson.Value) {
	switch key {
	case "model":
		o.Model = []byte(captured(v))
	case "cache_salt":
		o.Salt = []byte(captured(v))
	case "lora_path":
		o.Adapter = []byte(captured(v))
	case "prompt_cache_key":
		o.session[0] = captured(v)
	case "previous_response_id":
		o.session[1] = captured(v)
	case "user":
		o.session[2] = captured(v)
	case "metadata":
		o.session[3], o.session[4] = captured(last(v, "session_id")), captured(last(v, "user_id"))
	case "stream":
		o.streams = v.Type() == fastjson.TypeTrue
	case "use_beam_search":
		o.beams = v.Type() == fastjson.TypeTrue || v.Type() == fastjson.TypeNumber || v.Type() == fastjson.TypeString
	case "stream_options":
		w := last(v, "include_usage")
		o.IncludeUsage = w != nil && w.Type() == fastjson.TypeTrue
	}
}

// last is the last member of that name.
func last(v *fastjson.Value, key string) (found *fastjson.Value) {
	if v.Type() == fastjson.TypeObject {
		v.GetObject().Visit(func(k []byte, w *fastjson.Value) {
			if string(k) == key {
				found = w
			}
		})
	}
	return found
}

func str(v *fastjson.Value) string { return string(v.GetStringBytes()) }

func captured(v *fastjson.Value) string {
	if v == nil || v.Type() != fastjson.TypeString {
		return ""
	}
	return short(str(v))
}

func short(s string) string {
	if len(s) <= captureBytes {
		return s
	}
	return s[:captureBytes] + hex16(s[captureBytes:])
}

func hex16(s string) string {
	b := binary.BigEndian.AppendUint64(nil, xxhash.Sum64String(s))
	out := ""
	for _, c := range b {
		out += string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15])
	}
	return out
}
