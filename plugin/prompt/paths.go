package prompt

import (
	"errors"
	"strconv"
	"strings"
)

// Rule adds a path to those that are known by themselves.
type Rule struct {
	// Path is an absolute path. {name} stands for one or more characters other than '/'; {model} is also the model where
	// the body names none (Paths.Find). A Path that ends in "/**" puts all built-in paths behind what comes before it.
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
}

// Paths is a compiled table of request paths.
type Paths struct {
	routes []pathRoute
}

type pathRoute struct {
	path   string
	prefix bool // path stands before a built-in one
	format Format
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
		name := "paths[" + strconv.Itoa(i) + "]."
		path, prefix := strings.CutSuffix(r.Path, "/**")
		if why := checkPattern(path); why != "" && !(prefix && path == "") {
			return nil, errors.New(name + "path: " + strconv.Quote(r.Path) + " " + why)
		}
		route := pathRoute{path: path, prefix: prefix, format: formatOf(r.Format)}
		if prefix && r.Format != "" {
			return nil, errors.New(name + "format: must be empty, as the path ends in /**")
		}
		if !prefix && route.format == None {
			return nil, errors.New(name + "format: " + strconv.Quote(r.Format) +
				" is not one of chat, completions, responses, messages, generate, by_load, pointer")
		}
		if route.format == Pointer {
			ptr, why := ParsePointer(r.Pointer)
			if why != "" {
				return nil, errors.New(name + "pointer: " + strconv.Quote(r.Pointer) + " " + why)
			}
			route.ptr = ptr
		} else if r.Pointer != "" {
			return nil, errors.New(name + "pointer: only the format pointer has one")
		}
		p.routes = append(p.routes, route)
	}
	return p, nil
}

func formatOf(name string) Format {
	for f := Chat; f <= Pointer; f++ {
		if formatNames[f] == name {
			return f
		}
	}
	return None
}

// checkPattern says what is wrong with a pattern, or "".
func checkPattern(s string) string {
	if !strings.HasPrefix(s, "/") {
		return "must start with '/'"
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '?', '#':
			return "must not have a query or a fragment"
		case '}':
			return "has a '}' without a '{'"
		case '{':
			n := strings.IndexAny(s[i+1:], "{}/")
			if n <= 0 || s[i+1+n] != '}' {
				return "must enclose a name in braces"
			}
			if i += n + 1; i+1 < len(s) && s[i+1] == '{' {
				return "must have text between two {names}"
			}
		}
	}
	return ""
}

// Match is the format of a request's path, which may have a query, and the pointer that goes with it.
func (p *Paths) Match(path string) (Format, *JSONPointer) {
	m := p.Find(path)
	return m.Format, m.Pointer
}

// Find is Match with the model that the path names. It allocates nothing.
func (p *Paths) Find(path string) Match {
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		path = path[:i]
	}
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
			return Match{r.format, r.ptr, model}
		}
	}
	return findBuiltIn(path)
}

func findBuiltIn(path string) Match {
	for i := range builtIn {
		if builtIn[i].path == path {
			return Match{Format: builtIn[i].format}
		}
	}
	return Match{}
}

// matchPattern matches the whole path, or with prefix its beginning up to a '/'. A {name} takes as few characters as
// let the text behind it match within the segment; at a segment's end it takes the rest of the segment.
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

// nameLength is how much of path a {name} takes that has pattern behind it; 0: it does not match.
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
