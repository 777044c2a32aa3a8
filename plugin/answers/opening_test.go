package answers

import (
	"strings"
	"testing"
)

// The opening is over with the first event that is none of it, however the stream is cut into chunks.
func TestOpening(t *testing.T) {
	const created, progress = "event: response.created\ndata: {\"response\":{}}\n\n", "event: response.in_progress\ndata: {\"event: error\":1}\n\n"
	for _, c := range []struct{ opening, rest string }{
		{created + progress, "event: response.output_item.added\ndata: {}\n\n"},
		{strings.ReplaceAll(created+progress, "\n", "\r\n"), "event: response.output_text.delta\r\ndata: {}\r\n\r\n"},
		{created, "event: response.created.\ndata: {}\n\n"},
		{created, "data: {}\n\n"},
		{": ping\n\nid: 1\nevent:response.queued\ndata: {}\n\n", "event: error\n"},
		{": keep-alive\n\n: keep-alive\n\n", "data: {"},
		{created + "\n: keep-alive\n\n", "data: {"},
		{"retry: 10\n\n", "{\"error\":"},
		{"", "event: response.completed\n"},
		{"", "event:\n"},
		{"", "data: [DONE]\n"},
		{strings.Repeat(":", 100) + "\n" + created, "event: " + strings.Repeat("x", 100) + "\n"},
	} {
		for _, n := range []int{1, 2, 3, 7, 1000} {
			var o Opening
			write := func(text string) (over bool) {
				for len(text) > 0 && !over {
					k := min(n, len(text))
					over, text = o.Write([]byte(text[:k])), text[k:]
				}
				return over
			}
			if write(c.opening) {
				t.Errorf("%q in chunks of %d: over before it is", c.opening, n)
			}
			if !write(c.rest) {
				t.Errorf("%q, then %q, in chunks of %d: not over", c.opening, c.rest, n)
			}
		}
	}
}
