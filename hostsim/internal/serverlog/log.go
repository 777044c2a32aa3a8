// Package serverlog reads what vLLM (vllm/entrypoints/logger.py) and SGLang (--log-requests, sglang/srt/utils/request_logger.py) log of
// requests, where one is spread over several lines, between those of others. It takes line by line, and makes calls of them.
package serverlog

import (
	"iter"
	"strings"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
)

// Log reads the lines of one file, in their order. Its zero value has read none.
type Log struct {
	vllm   vllmLog
	sglang sglangLog
}

// Found is what a line says. Neither is set where it completes what an earlier one said.
type Found struct {
	Call *call.Call // a request whose answer may come in a later line, which then fills it in
	Why  string     // it is left out
}

// Body is a request's body as it came, where the log has that.
type Body struct {
	Place  call.Place
	Object loose.Object
	Clocks []clocks.Reading
	Why    string // it is left out
}

// maxOpen bounds the requests whose other lines are waited for.
const maxOpen = 1 << 16

// IsLine says whether a line of text is one that is read.
func IsLine(text string) bool { return vllmKind(text) != vllmNone || isSglangLine(text) }

// IsObject says whether a record is a line of SGLang's log in JSON.
func IsObject(o loose.Object) bool {
	return o["obj"] != nil && (strings.HasPrefix(o["event"].Text(), "request.received") || o["event"].Text() == "request.finished")
}

// BeforeBody says whether what stands before a brace is vLLM's, of a request's body as it came.
func BeforeBody(text []byte) bool { return came.Match(text) }

// Begun says whether a line has told something of a request: other text may then belong to it.
func (l *Log) Begun() bool { return l.vllm.open != nil || l.sglang.open != nil }

// Line takes a line of text; what is none for IsLine says nothing. outer are the times of what wraps it; nil: its own counts. at is where it
// stands.
func (l *Log) Line(text string, outer []clocks.Reading, at call.Place) Found {
	if kind := vllmKind(text); kind != vllmNone {
		return l.vllm.line(kind, text, outer, at)
	}
	return l.sglang.line(text, outer)
}

// Object takes a record, for which IsObject holds.
func (l *Log) Object(o loose.Object) Found { return l.sglang.object(o) }

// Bodies are the requests that the log has as they came, in their order, once all lines were taken. Those of a log that has the prompts
// too are left out.
func (l *Log) Bodies() iter.Seq[Body] {
	return func(yield func(Body) bool) {
		for _, b := range l.vllm.bodies {
			if l.vllm.prompted {
				b.Why = "a request that vLLM logs once more, as it came"
			} else if b.Object == nil {
				b.Why = "a body that was cut short: the log has only its beginning"
			}
			if !yield(b) {
				return
			}
		}
	}
}
