package prompt

import (
	"errors"
	"strconv"
	"strings"
)

// Rule adds a path to those that are known by themselves.
type Rule struct {
	// Path is an absolute path. {name} stands for one or more characters other than '/'; {model} is also the model where
	// the body names none (Paths.Find). A Path that ends in "/**" matches all built-in paths below that prefix.
	Path string
	// Format is one of chat, completions, responses, messages, generate, by_load, pointer; empty for a Path in "/**".
	Format string
	// Pointer is the prompt's place in the body, a JSON Pointer (RFC 6901), with the format pointer only.
	Pointer string
}

// Match is what a path says.
type Match struct {
	Format  Format
	Pointer *JSONPointer // of the format Pointer
	Model   string       // as the path has it, percent-encoding included; "": it has none
	Unread  bool         // the body has prompts, and goes by load
}

// Paths is a compiled table of request paths.
type Paths struct {
	routes []pathRoute
}

type pathRoute struct {
	path   string
	prefix bool // path stands before a built-in one
	format Format
	unread bool // Match.Unread
	ptr    *JSONPointer
}

// builtIn are the paths of vLLM's and SGLang's servers that take a prompt, and those of the same servers that are
// routed by load. Audio is by load: it comes as a form.
var builtIn = [...]pathRoute{
	{path: "/v1/chat/completions", format: Chat},
	{path: "/v1/completions", format: Completions},
	{path: "/v1/responses", format: Responses},
	{path: "/v1/messages", format: Messages},
	{path: "/inference/v1/generate", format: Generate},
	{path: "/generate", format: Generate},
	{path: "/generate_stream", format: Generate},
	{path: "/v1/chat/completions/batch", format: ByLoad, unread: true},
	{path: "/cohere/v2/chat", format: ByLoad, unread: true},
	{path: "/v1/decisions", format: ByLoad, unread: true}, // vLLM 0.33, SGLang 0.5.23: many short prompts on one text
	{path: "/v1/systemone", format: ByLoad, unread: true},
	{path: "/generative_scoring", format: ByLoad, unread: true},
	{path: "/v1/messages/count_tokens", format: ByLoad},
	{path: "/v1/embeddings", format: ByLoad},
	{path: "/v2/embed", format: ByLoad},
	{path: "/pooling", format: ByLoad},
	{path: "/classify", format: ByLoad},
	{path: "/score", format: ByLoad},
	{path: "/v1/score", format: ByLoad},
	{path: "/rerank", format: ByLoad},
	{path: "/v1/rerank", format: ByLoad},
	{path: "/v2/rerank", format: ByLoad},
	{path: "/tokenize", format: ByLoad},
	{path: "/detokenize", format: ByLoad},
	{path: "/v1/audio/transcriptions", format: ByLoad},
	{path: "/v1/audio/translations", format: ByLoad},
}

// NewPaths compiles the rules. They come before the built-in paths, and among themselves the first that matches counts.
// An error names the field, as in "paths[2].format: …".
func NewPaths(rules []Rule) (*Paths, error) {
	p := new(Paths)
	for i := range rules {
		r := &rules[i]
		if member, holds, why := r.Check(); why != "" {
			return nil, errors.New("paths[" + strconv.Itoa(i) + "]." + member + ": " + strconv.Quote(holds) + " " + why)
		}
		route := pathRoute{format: formatOf(r.Format)}
		route.path, route.prefix = strings.CutSuffix(r.Path, "/**")
		if route.format == Pointer {
			route.ptr, _ = ParsePointer(r.Pointer)
		}
		p.routes = append(p.routes, route)
	}
	return p, nil
}

// Check says what is wrong with a rule: the member by its name in the configuration, what it holds, "" where it is missing,
// and why, to be read after that, or "".
func (r *Rule) Check() (member, holds, why string) {
	format := formatOf(r.Format)
	if why = CheckPattern(r.Path); why != "" {
		return "path", r.Path, why
	}
	switch prefix := strings.HasSuffix(r.Path, "/**"); {
	case prefix && r.Format != "":
		return "format", r.Format, "is refused where path ends in /**: each path behind it has its own"
	case !prefix && r.Format == "":
		return "format", "", "missing; it is one of " + strings.Join(Formats(), ", ")
	case !prefix && format == None:
		return "format", r.Format, "is not one of " + strings.Join(Formats(), ", ")
	case format == Pointer && r.Pointer == "":
		return "pointer", "", "missing; a JSON Pointer is needed where format is pointer"
	case format != Pointer && r.Pointer != "":
		return "pointer", r.Pointer, "is allowed only where format is pointer"
	}
	_, why = ParsePointer(r.Pointer)
	return "pointer", r.Pointer, why
}

func formatOf(name string) Format {
	for f := Chat; f <= Pointer; f++ {
		if formatNames[f] == name {
			return f
		}
	}
	return None
}

// CheckPattern takes an absolute path in which {name} stands for a part of one segment. It returns what is wrong, to be read
// after the path, or "".
func CheckPattern(s string) string {
	if !strings.HasPrefix(s, "/") {
		return "is not a path pattern (it must start with '/')"
	}
	open := -1
	for i := range len(s) {
		switch c := s[i]; {
		case c <= ' ' || c > '~' || c == '?' || c == '#':
			return "is not a path pattern (a path without query, in printable ASCII)"
		case c == '{' && open < 0:
			if i > 0 && s[i-1] == '}' {
				return "is not a path pattern (two {names} need text between them)"
			}
			open = i
		case c == '}' && open >= 0 && i > open+1:
			open = -1
		case c == '{' || c == '}' || c == '/' && open >= 0:
			return "is not a path pattern (braces must enclose a name)"
		}
	}
	if open >= 0 {
		return "is not a path pattern (a '}' is missing)"
	}
	return ""
}

// Match is the format of a request's path, which may have a query, and the pointer that goes with it.
func (p *Paths) Match(path string) (Format, *JSONPointer) {
	m := p.Find(path)
	return m.Format, m.Pointer
}

// Find is Match with the model that the path names. It allocates nothing, but for a path with percent-encoding.
func (p *Paths) Find(path string) Match {
	for i := range len(path) {
		if path[i] == '?' || path[i] == '#' {
			path = path[:i]
			break
		}
	}
	m := p.find(path)
	if m.Format == None && strings.IndexByte(path, '%') >= 0 {
		return p.find(unescaped(path))
	}
	return m
}

func (p *Paths) find(path string) Match {
	if len(path) > 1 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	for i := range p.routes {
		r := &p.routes[i]
		rest, model, ok := matchPattern(r.path, path, r.prefix)
		if ok && r.prefix {
			if m := findBuiltIn(rest); m.Format != None {
				m.Model = model
				return m
			}
		} else if ok {
			return Match{Format: r.format, Pointer: r.ptr, Model: model}
		}
	}
	return findBuiltIn(path)
}

// unescaped is a path without percent-encoding, by which servers in Python find what is asked for.
func unescaped(path string) string {
	b := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		c := path[i]
		if c == '%' && i+2 < len(path) {
			if high, low := hexDigit[path[i+1]], hexDigit[path[i+2]]; high|low < 16 {
				c, i = high<<4|low, i+2
			}
		}
		b = append(b, c)
	}
	return string(b)
}

func findBuiltIn(path string) Match {
	for i := range builtIn {
		if builtIn[i].path == path {
			return Match{Format: builtIn[i].format, Unread: builtIn[i].unread}
		}
	}
	return Match{}
}

// matchPattern matches the whole path, or with prefix its beginning up to a '/'. A {name} takes as few characters as
// let the text after it match within the segment; at a segment's end it takes the rest of the segment.
func matchPattern(pattern, path string, prefix bool) (rest, model string, ok bool) {
	for pattern != "" {
		open := strings.IndexByte(pattern, '{')
		if open < 0 {
			open = len(pattern)
		}
		if !strings.HasPrefix(path, pattern[:open]) {
			return "", "", false
		}
		path = path[open:]
		if pattern = pattern[open:]; pattern == "" {
			break
		}
		end := strings.IndexByte(pattern, '}')
		name := pattern[1:end]
		pattern = pattern[end+1:]
		n := nameLength(path, pattern)
		if n == 0 {
			return "", "", false
		}
		if name == "model" {
			model = path[:n]
		}
		path = path[n:]
	}
	if prefix {
		return path, model, strings.HasPrefix(path, "/")
	}
	return "", model, path == ""
}

// nameLength is how much of path a {name} matches if pattern follows it; 0: it does not match.
func nameLength(path, pattern string) int {
	segment := strings.IndexByte(path, '/')
	if segment < 0 {
		segment = len(path)
	}
	text := pattern
	if i := strings.IndexAny(text, "/{"); i >= 0 {
		text = text[:i]
	}
	if text == "" {
		return segment
	}
	if i := strings.IndexByte(pattern, '{'); i < 0 || strings.IndexByte(pattern[:i], '/') >= 0 {
		// The last {name} of its segment takes all but the text at the segment's end.
		if strings.HasSuffix(path[:segment], text) {
			return segment - len(text)
		}
		return 0
	}
	if segment == 0 {
		return 0
	}
	return strings.Index(path[1:segment], text) + 1
}
