package answers

import (
	"warmroute/plugin/bytestr"
	"warmroute/plugin/runs"
)

// Opening reads what comes of a stream of server-sent events before its first token: comments, which vLLM (0.32, 0.33) writes while a prompt waits
// (--sse-keep-alive-interval), and the events that open a stream of the Responses API: response.created and response.in_progress, which vLLM
// writes before its engine has the prompt (entrypoints/openai/responses/serving.py), and others' response.queued. The zero Opening is ready.
type Opening struct {
	line  [32]byte // the beginning of the current one
	n     int
	named bool // the data that follow are of one of these events
}

// Write reads the stream's next bytes, and says whether something else has come.
func (o *Opening) Write(chunk []byte) (over bool) {
	for {
		end := runs.Line(chunk)
		o.n += copy(o.line[o.n:], chunk[:end])
		if end == len(chunk) {
			return o.n > 0 && o.line[0] != 'e' && o.isOver(o.line[:o.n])
		}
		if o.n > 0 {
			if o.isOver(o.line[:o.n]) {
				return true
			}
			o.named = o.line[0] == 'e' || o.named && o.line[0] != 'd'
			o.n = 0
		}
		chunk = chunk[end+1:]
	}
}

// isOver says whether a line is none of those that come before the first token.
func (o *Opening) isOver(line []byte) bool {
	const event = "event:"
	switch line[0] {
	case ':', 'i', 'r': // a comment, id, retry
		return false
	case 'd': // data
		return !o.named
	}
	if !bytestr.HasPrefix(line, event) {
		return true
	}
	if line = line[len(event):]; len(line) > 0 && line[0] == ' ' {
		line = line[1:]
	}
	return !bytestr.Equal(line, "response.created") && !bytestr.Equal(line, "response.in_progress") && !bytestr.Equal(line, "response.queued")
}
