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
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/find"
	"warmroute/hostsim/internal/layout"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/serverlog"
	"warmroute/hostsim/internal/trace"
)

// Options say how to read logs. The comments say what zero values mean.
type Options struct {
	Gap          time.Duration                        // between requests of a log without times; 0: 1 s
	OutputTokens int                                  // of an answer whose length is not known; 0: the mean of those known, else DefaultOutput
	Skip         int                                  // leave out so many lines first
	Limit        int                                  // stop after so many requests; 0: all
	Accept       func(path string, body []byte) error // refuses bodies that cannot be replayed; nil: none

	Progress func(file string, lines int) // is told now and then how many lines of a file were read; nil: nobody

	most int // bytes of prompts that may be put together of turns; 0: maxValues
}

// DefaultOutput is how long an answer is taken to be if nothing at all is known of any: about the mean of the
// conversations that Azure published (AzureLLMInferenceTrace_conv, 2023: 211 tokens).
const DefaultOutput = 211

// File is a log to read.
type File struct {
	Name string
	In   io.Reader
}

// Read makes a trace of the files' requests, in order of time. The error of a log without one request that can be used
// shows the first line and the nearest shape.
func Read(files []File, o Options) ([]trace.Line, *Report, error) {
	o.most = cmp.Or(o.most, maxValues)
	c := &collector{options: o, report: newReport(), waiting: map[string]*call.Call{}, orphans: map[string]orphan{}, talks: map[string]*talk{}}
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
	records  []*call.Call
	waiting  map[string]*call.Call // requests with an id, whose answer may come
	talks    map[string]*talk      // of messages that the log has one by one
	orphans  map[string]orphan     // by custom_id
	inside   int                   // so many records that hold others
	recorded int                   // the first line that has a record of the module
	skipped  int                   // lines that Options.Skip leaves out
	made     int                   // bytes of prompts that were put together of turns: a conversation of n has n² of them
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

func (c *collector) full() bool { return c.options.Limit > 0 && len(c.records) >= c.options.Limit }

// mayMake says whether one more prompt may be put together of turns. If not, why is for the report.
func (c *collector) mayMake() (may bool, why string) {
	if c.made < c.options.most {
		return true, ""
	}
	return false, fmt.Sprintf("a message after %d MiB of prompts were put together: take a part of the log (--limit)", c.options.most>>20)
}

// values reads JSON values that are not one a line.
func (c *collector) values(in io.Reader) error {
	before := c.report.Lines
	data, err := io.ReadAll(io.LimitReader(in, maxValues))
	if err = c.ends(err, len(data) > 0); err != nil {
		return err
	}
	if len(data) == maxValues {
		c.leave(fmt.Sprintf("what comes after %d MiB: write it as JSON lines", maxValues>>20))
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	dec := json.NewDecoder(bytes.NewReader(data))
	c.line = 1
	depth, done := 0, int64(0)
	for !c.full() {
		rest := bytes.TrimLeft(data[dec.InputOffset():], " \t\r\n,")
		if len(rest) == 0 {
			return nil
		}
		if opens := depth == 0 && rest[0] == '['; opens || depth > 0 && !dec.More() {
			if _, err := dec.Token(); err != nil { // a bracket, or none
				return c.broken(err, c.report.Lines > before)
			}
			if depth = 0; opens {
				depth = 1
			}
			continue
		}
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err == nil && depth > 0 && find.IsMessage(loose.Read(raw)) { // the list is no list of records
			raw, err = messages(dec, raw)
			depth = 0
		}
		c.line += bytes.Count(data[done:dec.InputOffset()], []byte("\n"))
		done = dec.InputOffset()
		if err != nil {
			return c.broken(err, c.report.Lines > before)
		}
		if !c.skips() {
			c.text(raw, nil)
		}
	}
	return nil
}

// maxValues bounds a file that is not one record a line, in bytes.
const maxValues = 1 << 30
