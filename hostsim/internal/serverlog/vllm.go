package serverlog

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"time"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/pyrepr"
)

// vllmLog reads vLLM's request log. What came with a request is spread over its lines in newer versions: the prompt in
// a debug line, the parameters in the next, and the answer, where outputs are logged, in a later one.
type vllmLog struct {
	prompts  map[string][]byte     // by request id, JSON: a text or token ids
	open     map[string]*call.Call // waits for its answer
	bodies   []Body                // as they came, each besides its prompt
	prompted bool                  // the log has prompts
	last     float64               // the time of the line before
	years    int                   // that have begun since the first line, whose times have none
}

type vllmLine int

const (
	vllmNone vllmLine = iota
	vllmReceived
	vllmDetails
	vllmCame
	vllmGenerated
)

var (
	received  = regexp.MustCompile(`Received request ([^\s:]+): `)
	came      = regexp.MustCompile(`Request (\S+) JSON body: `)
	details   = regexp.MustCompile(`Request ([^\s:]+) details: `)
	generated = regexp.MustCompile(`Generated response ([^\s:(]+)(?: \(streaming complete\))?: `)
	yearless  = regexp.MustCompile(`\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?`)
	maxTokens = regexp.MustCompile(`max_tokens=(\d+)`)
	loraName  = regexp.MustCompile(`lora_name='([^']*)'`)
)

func vllmKind(s string) vllmLine {
	has := func(word string) bool { return strings.Contains(s, word) } // most lines are of others, and long
	switch {
	case has("Received request ") && received.MatchString(s):
		return vllmReceived
	case has(" details: ") && details.MatchString(s):
		return vllmDetails
	case has(" JSON body: ") && came.MatchString(s):
		return vllmCame
	case has("Generated response ") && generated.MatchString(s):
		return vllmGenerated
	}
	return vllmNone
}

// line takes a line of a kind. outer are the times of what wraps it.
func (v *vllmLog) line(kind vllmLine, s string, outer []clocks.Reading, at call.Place) Found {
	if v.open == nil {
		v.prompts, v.open = map[string][]byte{}, map[string]*call.Call{}
	}
	switch kind {
	case vllmDetails:
		at := details.FindStringSubmatchIndex(s)
		if prompt := vllmPrompt(s[at[1]:]); prompt != nil && len(v.prompts) < maxOpen {
			v.prompts[s[at[2]:at[3]]] = prompt
		}
	case vllmReceived:
		at := received.FindStringSubmatchIndex(s)
		id, rest := s[at[2]:at[3]], s[at[1]:]
		prompt := v.prompts[id]
		delete(v.prompts, id)
		if prompt == nil {
			prompt = vllmPrompt(rest)
		}
		if prompt == nil {
			return Found{Why: "vLLM's log has no prompts: it takes --enable-log-requests and VLLM_LOGGING_LEVEL=DEBUG"}
		}
		return Found{Call: v.request(id, prompt, rest, v.clocks(outer, s[:at[0]]))}
	case vllmCame:
		found := came.FindStringIndex(s)
		v.bodies = append(v.bodies, Body{Object: loose.Read([]byte(s[found[1]:])).Object(), Clocks: v.clocks(outer, s[:found[0]]), Place: at})
	case vllmGenerated:
		at := generated.FindStringSubmatchIndex(s)
		if c := v.open[s[at[2]:at[3]]]; c != nil {
			delete(v.open, s[at[2]:at[3]])
			c.Answer.Tokens, c.Answer.Counted = vllmOutput(s[at[1]:])
		}
	}
	return Found{}
}

// request is the call of a request, which waits for its answer.
func (v *vllmLog) request(id string, prompt []byte, rest string, times []clocks.Reading) *call.Call {
	body := map[string]any{"model": "vllm", "prompt": json.RawMessage(prompt)}
	if m := maxTokens.FindStringSubmatch(rest); m != nil {
		body["max_tokens"], _ = strconv.Atoi(m[1])
	}
	if m := loraName.FindStringSubmatch(rest); m != nil {
		body["model"] = m[1]
	}
	v.prompted = true
	c := &call.Call{Path: call.CompletionsPath, Clocks: times}
	c.Body, _ = json.Marshal(body) // of values that were read before
	if len(v.open) < maxOpen {
		v.open[id] = c
	}
	return c
}

// clocks are the times of a line: those of what wraps it, or else its own, which stands before what it says.
func (v *vllmLog) clocks(outer []clocks.Reading, before string) []clocks.Reading {
	if outer != nil {
		return outer
	}
	return clocks.Line(v.time(before))
}

// time reads a line's time. vLLM's own has no year: the year 2000 is taken, and the next where the months begin again. A line of the hour
// before the last one's is of the old year: processes do not write quite in order.
func (v *vllmLog) time(s string) (float64, bool) {
	if m := clocks.Dated(s); m != "" {
		return clocks.Seconds(m)
	}
	m := yearless.FindString(s)
	if m == "" {
		return 0, false
	}
	t, err := time.Parse("2006-01-02 15:04:05", strconv.Itoa(2000+v.years)+"-"+m)
	if err != nil {
		return 0, false
	}
	const hour, day = 3600, 86400
	at := float64(t.Unix()) + float64(t.Nanosecond())/1e9
	late := float64(t.AddDate(-1, 0, 0).Unix()) + float64(t.Nanosecond())/1e9
	switch {
	case at < v.last-180*day:
		v.years++
		at = float64(t.AddDate(1, 0, 0).UnixNano()) / 1e9
	case v.last > 0 && at > v.last+180*day && v.last-late < hour:
		return late, true
	}
	v.last = at
	return at, true
}

// vllmPrompt reads "prompt: 'text', …prompt_token_ids: [1, 2], …" as JSON: the ids where there are any, else the text;
// nil if there is neither.
func vllmPrompt(s string) []byte {
	if _, ids, ok := strings.Cut(s, "prompt_token_ids: ["); ok {
		if ids, _, ok = strings.Cut(ids, "]"); ok && ids != "" && !strings.Contains(ids, "...") {
			return []byte("[" + ids + "]")
		}
	}
	_, rest, ok := strings.Cut(s, "prompt: ")
	if !ok {
		return nil
	}
	text, _, ok := pyrepr.String(rest)
	if !ok || text == "" {
		return nil
	}
	out, _ := json.Marshal(text) // a string cannot fail
	return out
}

// vllmOutput reads "output: 'text', output_token_ids: […], …": how many tokens it is, and whether they were counted.
func vllmOutput(s string) (int, bool) {
	if _, ids, ok := strings.Cut(s, "output_token_ids: ["); ok {
		if ids, _, ok = strings.Cut(ids, "]"); ok && ids != "" {
			return strings.Count(ids, ",") + 1, true
		}
	}
	if _, rest, ok := strings.Cut(s, "output: "); ok {
		if text, _, ok := pyrepr.String(rest); ok {
			return call.Tokens(len(text)), false
		}
	}
	return 0, false
}
