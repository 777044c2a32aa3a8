package serverlog

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

// line takes a line of text. outer are the times of what wraps it.
func (s *sglangLog) line(line string, outer []clocks.Reading) Found {
	at := sglangLine.FindStringSubmatchIndex(line)
	if at == nil {
		return Found{}
	}
	if kind := line[at[4]:at[5]]; kind != "GenerateReqInput" {
		return Found{Why: "not for a prompt: " + kind}
	}
	members, rest, ok := pyrepr.Call(line[at[1]:])
	if !ok {
		return Found{Why: sglangCut}
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
	return s.take(one, outer)
}

// object takes a record of the log in JSON.
func (s *sglangLog) object(o loose.Object) Found {
	event := o["event"].Text()
	if event == "request.received.openai" {
		return Found{Why: "a request that SGLang logs once more, as it came"}
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
	return s.take(one, clocks.Of(loose.Object{"timestamp": o["timestamp"]}))
}

// take makes a call of a line, or adds to the call of the request's first line what its second says.
func (s *sglangLog) take(one sglang, times []clocks.Reading) Found {
	if s.open == nil {
		s.open = map[string]*call.Call{}
	}
	c, known := s.open[one.id]
	if known && one.finished {
		delete(s.open, one.id)
		if c != nil {
			c.Answer.Tokens, c.Answer.Counted, c.Took = one.output, one.output > 0, one.took
		}
		return Found{}
	}
	var out Found
	switch {
	case one.cut:
		out.Why = sglangCut
	case one.prompt == nil:
		out.Why = sglangNoPrompt
	default:
		c = one.request(times)
		out.Call = c
	}
	if !one.finished && len(s.open) < maxOpen {
		s.open[one.id] = c
	}
	return out
}

// request is the call of a line's request.
func (s *sglang) request(times []clocks.Reading) *call.Call {
	body := loose.Object{"model": loose.Made("sglang"), "prompt": s.prompt}
	if s.model != "" {
		body["model"] = loose.Made(s.model)
	}
	if s.maxNew > 0 {
		body["max_tokens"] = loose.Made(s.maxNew)
	}
	return &call.Call{
		Path: call.CompletionsPath, Body: loose.Marshal(body), Clocks: clocks.Earlier(times, s.took), Took: s.took,
		Answer: call.Answer{Tokens: s.output, Counted: s.output > 0},
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
