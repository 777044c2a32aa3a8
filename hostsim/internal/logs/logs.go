// Package logs reads what gateways and servers have logged of LLM requests, in the shapes that people have, and makes a
// trace of it (trace.Line, the format openai):
//
//   - access logs of a proxy, a JSON object a line, with the request's body as an object or as a string;
//   - LiteLLM's standard logging payload and its spend logs (docs.litellm.ai, "StandardLoggingPayload Specification");
//   - OpenAI batch files: the requests, and the answers joined by custom_id (platform.openai.com, "Batch API");
//   - vLLM's request log, as text (vllm/entrypoints/logger.py) or inside another log;
//   - SGLang's request log, Amazon Bedrock's invocation log, Gemini's bodies, and what Langfuse, LangSmith and LangChain have of a call;
//   - text access logs with a body in each line, and tables with a header (CSV);
//   - OpenTelemetry's spans with messages (also as Jaeger and Phoenix have them), archives of HTTP (HAR), Envoy's tap filter, and whole
//     conversations (ShareGPT, Open WebUI);
//   - tables and transcripts that have the messages of conversations one by one;
//   - bare bodies, or their lists of messages, one a line.
//
// Nothing names the shape: each record is searched for a body, a time, an answer, a session and a path, under the names
// that these logs use. What a log lacks is made up and said: see Report.
package logs

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/find"
	"warmroute/hostsim/internal/layout"
	"warmroute/hostsim/internal/serverlog"
	"warmroute/hostsim/internal/timeline"
	"warmroute/hostsim/internal/trace"
)

// Options say how to read logs. The comments say what zero values mean.
type Options struct {
	Gap          time.Duration                        // between requests of a log without times; 0: 1 s
	OutputTokens int                                  // of an answer whose length is not known; 0: the mean of those known, else timeline.DefaultOutput
	Skip         int                                  // leave out so many lines first
	Limit        int                                  // stop after so many requests; 0: all
	Accept       func(path string, body []byte) error // refuses bodies that cannot be replayed; nil: none

	Progress func(file string, lines int) // is told now and then how many lines of a file were read; nil: nobody

	most int // bytes of prompts that may be put together of turns; 0: maxValues
}

// File is a log to read.
type File struct {
	Name string
	In   io.Reader
}

// Read makes a trace of the files' requests, in order of time. The error of a log without one request that can be used
// shows the first line and the nearest shape.
func Read(files []File, o Options) ([]trace.Line, *Report, error) {
	o.most = cmp.Or(o.most, maxValues)
	c := &collector{options: o, report: newReport(), waiting: map[string]*call.Call{}, orphans: map[string]orphan{}, talks: map[string]*talk{}, parts: map[string][]*call.Call{}}
	for _, f := range files {
		if err := c.file(f); err != nil {
			return nil, nil, err
		}
	}
	lines, err := c.lines()
	return lines, c.report, err
}

// collector gathers records of all files.
type collector struct {
	options  Options
	report   *Report
	name     string
	line     int
	first    []byte // the first line that is not blank, for errors
	calls    []*call.Call
	waiting  map[string]*call.Call   // requests with an id, whose answer may come
	parts    map[string][]*call.Call // of those requests that several records have, all but the first
	talks    map[string]*talk        // of messages that the log has one by one
	orphans  map[string]orphan       // by custom_id
	inside   int                     // so many records that hold others
	recorded int                     // the first line that has a record of the module
	skipped  int                     // lines that Options.Skip leaves out
	garbled  bool                    // the record that is being taken is counted as one with bytes that are not UTF-8
	made     int                     // bytes of prompts that were put together of turns: a conversation of n has n² of them
	server   serverlog.Log
}

func (c *collector) file(f File) error {
	c.name, c.line = f.Name, 0
	c.server = serverlog.Log{}
	in, err := layout.Open(f.Name, f.In)
	if err != nil {
		return err
	}
	begins := layout.Head(in)
	if names, comma := find.Header(begins); layout.Spread(begins) {
		err = c.values(in)
	} else if comma != 0 {
		err = c.table(in, names, comma)
	} else {
		err = c.lined(in)
	}
	c.bodies()
	return err
}

// skips says whether a line, a row or a record is one of those that are left out first.
func (c *collector) skips() bool {
	if c.skipped == c.options.Skip {
		return false
	}
	c.skipped++
	return true
}

func (c *collector) full() bool { return c.options.Limit > 0 && len(c.calls) >= c.options.Limit }

// ends judges why a file ends. Where it was cut, as a log that is still being compressed, what came before is used, and said.
func (c *collector) ends(err error, any bool) error {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return nil
	case any && layout.BreaksOff(err):
		c.leave("all from here on: the file breaks off, or is broken (" + err.Error() + ")")
		return nil
	}
	return fmt.Errorf("%s:%d: %w", c.name, c.line+1, err)
}

// lines makes a trace of the calls.
func (c *collector) lines() ([]trace.Line, error) {
	for _, o := range slices.SortedFunc(maps.Values(c.orphans), func(a, b orphan) int {
		return cmp.Or(cmp.Compare(a.place.File, b.place.File), cmp.Compare(a.place.Line, b.place.Line))
	}) {
		if !o.failed && !c.full() { // those of requests after the last that was to be read are not missing
			c.report.leave("an answer whose request is not there", o.place)
		}
	}
	c.calls = slices.DeleteFunc(c.calls, func(r *call.Call) bool { return r.Failed })
	c.whole()
	c.talked()
	if len(c.calls) == 0 {
		return nil, c.nothing()
	}
	o := timeline.Options{Gap: c.options.Gap, OutputTokens: c.options.OutputTokens, Restore: maxValues, Accept: c.options.Accept}
	return timeline.Make(c.calls, o, &c.report.Account)
}
