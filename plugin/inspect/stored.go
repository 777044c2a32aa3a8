package inspect

import (
	"strings"

	"warmroute/plugin/prompt"
)

// Named says whether a response to a request may have a name under which its server keeps it.
func (in *Inspector) Named(h *Head) bool {
	return h.Method == "POST" && in.paths.Find(h.Path).Format == prompt.Responses
}

// Stored is the name of the response that a request asks its server for, or is to be cancelled or deleted: what comes in its path behind
// one that takes a request of the Responses API. "": none.
func (in *Inspector) Stored(path string) string {
	const below = "/responses/"
	path, _, _ = strings.Cut(path, "?")
	at := strings.LastIndex(path, below)
	if at < 0 || in.paths.Find(path[:at+len(below)-1]).Format != prompt.Responses {
		return ""
	}
	id, _, _ := strings.Cut(path[at+len(below):], "/")
	return id
}
