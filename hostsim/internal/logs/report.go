package logs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/timeline"
)

// Report says what was read, what was left out, and what was made up.
type Report struct {
	timeline.Account
	Lines   int        // records and other lines
	Same    int        // requests whose custom_id an earlier one has
	Single  int        // messages of conversations that the log has one by one
	Talks   int        // conversations that the log has as a whole
	Garbled int        // records with bytes that are not UTF-8
	garbled call.Place // of the first of these
	left    map[string]*left
}

type left struct {
	why   string
	n     int
	first call.Place
}

// maxCauses bounds the reasons that are told apart: some have a number of the record in them.
const maxCauses = 8

func newReport() *Report { return &Report{left: map[string]*left{}} }

// leave counts what is left out, and keeps where the first is.
func (r *Report) leave(why string, at call.Place) {
	l := r.left[why]
	if l == nil && len(r.left) >= maxCauses {
		why = "for other reasons"
		l = r.left[why]
	}
	if l == nil {
		l = &left{why: why, first: at}
		r.left[why] = l
	}
	l.n++
}

// left says whether a record was left out for that reason.
func (c *collector) left(why string) bool { return c.report.left[why] != nil }

// shortened is how many times as long prompts must be, by the server's count, as by their text, at 4 bytes a token, to be called cut: text
// of hardly any language has so many tokens.
const shortened = 2.5

// Notes are sentences for people.
func (r *Report) Notes() []string {
	over := ""
	if r.Timed > 0 {
		over = ", over " + timeline.Lasted(r.Span)
	}
	out := []string{fmt.Sprintf("%s in %s (the log names it for %d; %d continue the prompt of another) from %s%s.",
		plural(r.Requests, "request"), plural(r.Sessions, "session"), r.Named, r.Inferred, plural(r.Lines, "line"), over)}
	for _, l := range r.causes() {
		out = append(out, fmt.Sprintf("Left out: %d, %s; the first is %s:%d.", l.n, l.why, l.first.File, l.first.Line))
	}
	if r.Garbled > 0 {
		out = append(out, fmt.Sprintf("Not in UTF-8: %s; the first is %s:%d. Each such byte is read as U+FFFD. Of a log in Latin-1: iconv -f LATIN1 -t UTF-8 FILE | hostsim import -", plural(r.Garbled, "record"), r.garbled.File, r.garbled.Line))
	}
	if r.Twice*3 >= r.Requests && r.Twice > 1 {
		out = append(out, fmt.Sprintf("The same prompt within %d s: %s. If the log has requests twice, of two programs or at their begin and end, leave out one: repeats count as cache hits.", timeline.TwiceWithin, plural(r.Twice, "request")))
	}
	if r.Short > 0 {
		out = append(out, fmt.Sprintf("Shorter than they were: %s that sent previous_response_id instead of the turns before, which the log lacks.", plural(r.Short, "prompt")))
	}
	if r.Beyond > 0 {
		out = append(out, fmt.Sprintf("Shorter than they were: %s that sent previous_response_id instead of the turns before, after %d MiB of such turns; take a part of the log (hostsim import --skip, --limit).", plural(r.Beyond, "prompt"), maxValues>>20))
	}
	if r.Restored > 0 {
		out = append(out, fmt.Sprintf("Made whole: %s that sent previous_response_id, by the turns before. The replay's gateway reads all of them; yours sees the id and the new turn.", plural(r.Restored, "prompt")))
	}
	if r.Same > 0 {
		out = append(out, fmt.Sprintf("The custom_id of an earlier one: %s. An answer is taken for the last that has its custom_id.", plural(r.Same, "request")))
	}
	if byText := call.Tokens(r.PromptBytes); float64(r.PromptTokens) > shortened*float64(byText) {
		out = append(out, fmt.Sprintf("Shorter than they were: the server counted %d prompt tokens where the log's text is %d. It has prompts cut, or leaves out tools, images or earlier turns, and shows another gain than yours.", r.PromptTokens, byText))
	}
	if r.Single > 0 {
		out = append(out, fmt.Sprintf("Put together of %s that the log has one by one. What a program adds to them, a system prompt or tools, is not there unless the log has it as a message.", plural(r.Single, "message")))
	}
	if r.Talks > 0 {
		out = append(out, fmt.Sprintf("Whole %s: each answer is taken for a request's, and turns to begin %d s apart.", plural(r.Talks, "conversation"), timeline.Pause))
	}
	if r.Timed > 0 && r.Stuck != nil {
		out = append(out, fmt.Sprintf("%s Taken instead: %s.", strings.Join(r.Stuck, " "), r.Instead))
	}
	if r.Unread > 0 {
		out = append(out, fmt.Sprintf("A time that cannot be read: %s (%s:%d has %s); taken instead: %s.", plural(r.Unread, "request"), r.Misread.Place.File, r.Misread.Place.Line, r.Misread.Unread, r.Other))
	}
	switch {
	case r.Timed == 0 && r.Stuck != nil:
		out = append(out, fmt.Sprintf("%s Requests are taken to come %g s apart (hostsim import --gap). Queues and gains depend on it.", strings.Join(r.Stuck, " "), r.Gap))
	case r.Timed == 0:
		out = append(out, fmt.Sprintf("The log has no times%s: requests are taken to come %g s apart (hostsim import --gap). Queues and gains depend on it.", r.clocked(), r.Gap))
	case r.Timed < r.Requests:
		out = append(out, fmt.Sprintf("Without a time that fits the others: %s%s, taken to come with the one before.", plural(r.Requests-r.Timed, "request"), r.clocked()))
	}
	if r.Measured > 0 || r.NextTurn > 0 {
		out = append(out, fmt.Sprintf("Lengths of answers: %d as counted by the server, %d from their text and %d from the next turn, at 4 bytes a token.", r.Counted, r.Measured, r.NextTurn))
	}
	if r.Guessed > 0 {
		out = append(out, fmt.Sprintf("Without a known length: %s, taken to have %d tokens, or max_tokens if that is less (hostsim import --output-tokens).", plural(r.Guessed, "answer"), r.Guess))
	}
	return out
}

// plural is a count and what is counted.
func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func (r *Report) causes() []*left {
	var out []*left
	for _, l := range r.left {
		out = append(out, l)
	}
	slices.SortFunc(out, func(a, b *left) int { return cmp.Or(b.n-a.n, cmp.Compare(a.why, b.why)) })
	return out
}

// clocked says where the first record without a time is, and what the log has in its place.
func (r *Report) clocked() string {
	if r.Untimed == nil || r.Untimed.Clock == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d has %s)", r.Untimed.Place.File, r.Untimed.Place.Line, r.Untimed.Clock)
}
