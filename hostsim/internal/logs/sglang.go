package logs

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/pyrepr"
)

// sglangLog reads SGLang's request log (--log-requests, sglang/srt/utils/request_logger.py), as text or JSON: a line when a request
// comes, and one with the same request and its answer.
type sglangLog struct {
	open map[string]*call.Call // by request id; nil: left out
}

var (
	sglangLine = regexp.MustCompile(`\b(Receive|Finish): obj=(\w+)\(`)
	sglangMax  = regexp.MustCompile(`'max_new_tokens': (\d+)`)
	sglangOut  = regexp.MustCompile(`'completion_tokens': (\d+)`)
	sglangTook = regexp.MustCompile(`'e2e_latency': ([0-9.e-]+)`)
)

// What the log must be to have prompts.
const (
	sglangNoPrompt = "SGLang's log has no prompts: it takes --log-requests-level 3"
	sglangCut      = "a prompt that was cut short: SGLang's log has all of it at --log-requests-level 3"
)

// sglang is one line of the log.
type sglang struct {
	id       string
	finished bool
	prompt   *loose.Value // a text or token ids; nil: none
	cut      bool
	maxNew   int    // 0: none
	model    string // a LoRA adapter's
	output   int    // tokens; 0: unknown
	took     float64
}

func isSglangLine(s string) bool { return strings.Contains(s, ": obj=") && sglangLine.MatchString(s) }

// line takes a line of text; false: it is none of this log.
func (s *sglangLog) line(c *collector, line string, outer []clocks.Reading) bool {
	if !isSglangLine(line) {
		return false
	}
	at := sglangLine.FindStringSubmatchIndex(line)
	if kind := line[at[4]:at[5]]; kind != "GenerateReqInput" {
		c.leave("not for a prompt: " + kind)
		return true
	}
	members, rest, ok := pyrepr.Call(line[at[1]:])
	if !ok {
		c.leave(sglangCut)
		return true
	}
	one := sglang{finished: line[at[2]:at[3]] == "Finish", maxNew: number(sglangMax, members["sampling_params"])}
	one.id, _, _ = pyrepr.String(members["rid"])
	one.model, _, _ = pyrepr.String(members["lora_path"])
	if text, after, ok := pyrepr.String(members["text"]); ok {
		one.prompt, one.cut = loose.Made(text), after != ""
	}
	if ids := members["input_ids"]; strings.HasPrefix(ids, "[") {
		if one.cut = strings.Contains(ids, "..."); !one.cut {
			one.prompt = loose.Read([]byte(ids))
		}
	}
	if one.finished {
		one.output = number(sglangOut, rest)
		if m := sglangTook.FindStringSubmatch(rest); m != nil {
			took, _ := strconv.ParseFloat(m[1], 64)
			one.took = clocks.Lasting(took)
		}
	}
	if outer == nil {
		outer = clocks.Line(clocks.Seconds(clocks.Dated(line[:at[0]])))
	}
	s.take(c, one, outer)
	return true
}

func isSglang(o loose.Object) bool {
	return o["obj"] != nil && (strings.HasPrefix(o["event"].Text(), "request.received") || o["event"].Text() == "request.finished")
}

// json takes a record of the log in JSON; false: it is none.
func (s *sglangLog) json(c *collector, o loose.Object) bool {
	event := o["event"].Text()
	if !isSglang(o) {
		return false
	}
	if event == "request.received.openai" {
		c.leave("a request that SGLang logs once more, as it came")
		return true
	}
	request, meta := o["obj"].Object(), o["out"].Object()["meta_info"].Object()
	one := sglang{id: loose.FirstOf(o["rid"], request["rid"]).Text(), finished: event == "request.finished", model: request["lora_path"].Text()}
	one.maxNew, _ = request["sampling_params"].Object()["max_new_tokens"].Whole()
	one.output, _ = meta["completion_tokens"].Whole()
	took, _ := strconv.ParseFloat(meta["e2e_latency"].Text(), 64)
	one.took = clocks.Lasting(took)
	if prompt := request["text"].Text(); prompt != "" {
		one.prompt = request["text"]
		half := []rune(prompt)
		one.cut = len(half) == 2*1024+3 && string(half[1024:1027]) == "..."
	}
	if ids := request["input_ids"].Items(); len(ids) > 0 {
		if one.cut = bytes.Contains(request["input_ids"].Bytes(), []byte(`"..."`)); !one.cut {
			one.prompt = request["input_ids"]
		}
	}
	s.take(c, one, clocks.Of(loose.Object{"timestamp": o["timestamp"]}))
	return true
}

// take makes a record of a line, or adds to the record of the request's first line what its second says.
func (s *sglangLog) take(c *collector, one sglang, times []clocks.Reading) {
	if s.open == nil {
		s.open = map[string]*call.Call{}
	}
	r, known := s.open[one.id]
	if known && one.finished {
		delete(s.open, one.id)
		if r != nil {
			r.Answer.Tokens, r.Answer.Counted, r.Took = one.output, one.output > 0, one.took
		}
		return
	}
	var why string
	switch {
	case one.cut:
		why = sglangCut
	case one.prompt == nil:
		why = sglangNoPrompt
	}
	if why != "" {
		c.leave(why)
	} else {
		body := loose.Object{"model": loose.Made("sglang"), "prompt": one.prompt}
		if one.model != "" {
			body["model"] = loose.Made(one.model)
		}
		if one.maxNew > 0 {
			body["max_tokens"] = loose.Made(one.maxNew)
		}
		r = &call.Call{Path: call.CompletionsPath, Body: loose.Marshal(body), Clocks: clocks.Earlier(times, one.took), Took: one.took, Answer: call.Answer{Tokens: one.output, Counted: one.output > 0}}
		c.add(r, r.Judge(c.options.Accept))
	}
	if !one.finished && len(s.open) < maxOpen {
		s.open[one.id] = r
	}
}

func number(of *regexp.Regexp, s string) int {
	m := of.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	n, err := strconv.Atoi(m[1])
	if err != nil { // more digits than a number has
		return 0
	}
	return n
}
