package prompt

import "warmroute/plugin/bytestr"

// Opening reads the first events of a stream of the Responses API: vLLM writes response.created and response.in_progress before it has begun
// with the prompt (entrypoints/openai/responses/serving.py), and others response.queued. The zero Opening is ready.
type Opening struct {
	line  [32]byte // the beginning of the current one
	n     int
	named bool // the data that follow are of one of these events
}

// Write reads the stream's next bytes, and says whether another event has come.
func (o *Opening) Write(chunk []byte) (over bool) {
	for {
		end := lineEnd(chunk)
		o.n += copy(o.line[o.n:], chunk[:end])
		if end == len(chunk) {
			return false
		}
		if chunk = chunk[end+1:]; o.ends(o.line[:o.n]) {
			return true
		}
		o.n = 0
	}
}

// ends takes a line.
func (o *Opening) ends(line []byte) bool {
	const event, data = "event:", "data:"
	switch {
	case bytestr.HasPrefix(line, event):
		name := line[len(event):]
		if len(name) > 0 && name[0] == ' ' {
			name = name[1:]
		}
		o.named = bytestr.Equal(name, "response.created") || bytestr.Equal(name, "response.in_progress") || bytestr.Equal(name, "response.queued")
		return !o.named
	case bytestr.HasPrefix(line, data):
		other := !o.named
		o.named = false
		return other
	}
	return false // an empty one, a comment, or a field that says nothing
}
