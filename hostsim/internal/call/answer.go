package call

import (
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/trace"
)

// Answer is what a log tells of the answer to a request.
type Answer struct {
	Tokens  int            // 0: not known
	Counted bool           // by the server, instead of by the text's length
	ID      string         // by which a later request may name it; "": not known
	Said    []*loose.Value // its items that the next prompt has again, where it is one of the Responses API
}

// Tokens is how many tokens so many bytes of text are, by the length that replays assume.
func Tokens(bytes int) int { return trace.Tokens(bytes) }
