// Package call is what a log tells of one request to a model, and of its answer, whatever shape the log has: those who read logs fill it in,
// and those who make a trace of calls see nothing else. What is not told is zero.
package call

import (
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
)

// The API's paths that have prompts.
const (
	ChatPath        = "/v1/chat/completions"
	CompletionsPath = "/v1/completions"
	ResponsesPath   = "/v1/responses"
	MessagesPath    = "/v1/messages"
)

// Paths are all of them; a log's path is one of them by how it ends.
var Paths = []string{ChatPath, CompletionsPath, ResponsesPath, MessagesPath}

// Call is what was found of one request, and of its answer.
type Call struct {
	Place   Place
	Path    string // one of Paths
	Body    []byte // compact JSON, in memory of its own
	Session string // as the log names it, then as the trace does; "": it names none
	ID      string // of the request, to join its answer; "": none
	Part    int    // which part of the request with this ID it is, where several records have one each; 0: it is whole
	Follows string // the answer that the request names instead of sending what came before (previous_response_id); "": none
	Turn    int    // how many requests of the same conversation came before, where the log has that as a whole
	Answer  Answer
	Prompt  int // tokens, as the server counted them; 0: not known

	Clocks []clocks.Reading // what may be its time, best first
	Clock  string           // the log's time as it stands, where it may be none; ""
	Unread string           // the time that comes first, where none can be read, but another is; ""
	Paced  bool             // its time is reckoned from that of the turn before
	At     float64          // s since the epoch, or since the log began; only if Timed
	Timed  bool
	Took   float64 // s from request to the end of the answer; 0: unknown
	Failed bool    // as its answer says
}

// Place is where a record stands.
type Place struct {
	File string
	Line int // from 1
}

// Object is the body, which changes only where Body is set anew.
func (c *Call) Object() loose.Object { return loose.KnownTight(c.Body).Object() }

// Answered takes what is known of the answer, unless the server has counted what is known already.
func (c *Call) Answered(a Answer) {
	if c.Answer.Tokens == 0 || !c.Answer.Counted {
		c.Answer = a
	}
}

// Judge makes of the body what can be sent: of a conversation that the server keeps, it has what is new in it. The error is accept's,
// which says why a replica would not take the body; nil accepts all.
func (c *Call) Judge(accept func(path string, body []byte) error) error {
	if body := c.Object(); body["previous_response_id"].Filled() {
		c.Follows = body["previous_response_id"].Text()
		delete(body, "previous_response_id")
		c.Body = loose.Marshal(body)
	}
	if accept == nil {
		return nil
	}
	return accept(c.Path, c.Body)
}
