package inspect

import (
	"strings"

	"warmroute/plugin/prompt"
)

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
