package timeline

import (
	"fmt"

	"warmroute/hostsim/internal/call"
)

// Account says what a trace has of a log, and what was made up for it.
type Account struct {
	Requests int
	Sessions int
	Span     float64 // s from the first request to the last

	Timed   int        // requests whose time the log has
	Untimed *call.Call // the first of the others; nil: there is none
	Gap     float64    // s, how far apart they are taken to come where no request has a time
	Unread  int        // requests whose first time cannot be read, of which another is taken
	Misread *call.Call // the first of these
	Other   string     // where the time of that one is that is taken
	Stuck   []string   // sentences that say why times of the log are none
	Instead string     // where those stand that are taken in their place

	Named    int // requests that name their session
	Inferred int // requests that continue another's prompt, or name its answer
	Twice    int // requests whose whole prompt had come within TwiceWithin before
	Short    int // requests that name an earlier answer instead of sending what came before, which the log does not have
	Restored int // such requests whose earlier turns the log has
	Beyond   int // such requests after as many bytes were restored as may be

	PromptTokens int // of the prompts whose tokens the server has counted
	PromptBytes  int // of their bodies

	Counted  int // answers whose tokens the server has counted
	Measured int // answers whose length was taken from their text
	NextTurn int // answers whose length was taken from the next turn of the conversation
	Guessed  int // answers of which nothing is known
	Guess    int // tokens, what these were taken to have
}

// Lasted is a span of so many seconds.
func Lasted(seconds float64) string {
	switch {
	case seconds < 120:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 2*3600:
		return fmt.Sprintf("%.0f minutes", seconds/60)
	case seconds < 48*3600:
		return fmt.Sprintf("%.0f hours", seconds/3600)
	}
	return fmt.Sprintf("%.0f days", seconds/86400)
}
