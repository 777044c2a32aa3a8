package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/logs"
	"warmroute/hostsim/internal/rawjson"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// longestPause is to what the pauses of a log are cut in replays; those of coding sessions are, too (trace.Options.MaxGap).
const longestPause = 10 * time.Minute

// openTrace reads a trace, or a log as import would; path - is standard input. What is made up is said on stderr. Where prompts have
// their text, or records, replicas keep answers, and pauses are cut; published traces of block ids are replayed as the studies do, without.
// asItCame leaves all times as they are.
func openTrace(s *console.Streams, path string, o trace.Options, asItCame bool) (*trace.Trace, error) {
	t, err := readTrace(s, path, o)
	if err != nil {
		return nil, err
	}
	t.Answers = t.BlockSize == 0 || t.Format == trace.Record
	if t.Answers && !asItCame {
		if n, by := t.CutPauses(longestPause); n > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("Pauses of more than %.0f minutes in which no request came: %d, each cut to that, by %.1f hours together. Rates, and how much of the time replicas work, are those of the rest.", longestPause.Minutes(), n, by.Hours()))
		}
	}
	if note := modelsNote(t); note != "" {
		t.Notes = append(t.Notes, note)
	}
	if t.Skipped > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%s: bad lines left out: %d; the first: %v", console.Shown(path), t.Skipped, t.First))
	}
	for _, note := range t.Notes {
		fmt.Fprintln(s.Stderr, note)
	}
	return t, nil
}

func readTrace(s *console.Streams, path string, o trace.Options) (*trace.Trace, error) {
	r, closer, err := s.OpenText(path)
	if err != nil {
		return nil, err
	}
	defer closer.Close()
	head, _ := r.Peek(1 << 16)
	if o.Format != "" || trace.Detect(head) != "" {
		t, err := trace.Read(r, console.Shown(path), o)
		if err == nil && t.Format == trace.Record {
			t.Notes = recordNotes(t)
		}
		return t, err
	}
	lines, report, err := readLogs(s, []logs.File{{Name: console.Shown(path), In: r}}, logs.Options{Skip: o.Skip, Limit: o.Limit, Gap: o.Gap})
	if errors.Is(err, logs.ErrRecords) && path != "-" && o.Format == "" { // behind what is looked at to tell the format
		o.Format = trace.Record
		return readTrace(s, path, o)
	}
	if err != nil {
		return nil, err
	}
	text, out := io.Pipe() // a log may be large: no part of it is in memory three times
	defer text.Close()
	go func() {
		var line []byte
		var err error
		for i := 0; err == nil && i < len(lines); i++ {
			if line, err = lines[i].Append(line[:0]); err == nil {
				_, err = out.Write(line)
			}
			lines[i].Body = nil
		}
		_ = out.CloseWithError(err)
	}()
	o.Format, o.Skip, o.Limit = trace.OpenAI, 0, 0
	t, err := trace.Read(text, console.Shown(path), o)
	if err == nil {
		t.Notes = report.Notes()
	}
	return t, err
}

// mostModels bounds the models that a note names.
const mostModels = 4

// modelsNote says that a trace's bodies name several models: each would be a pool of its own, and is not one in a replay; "": they do not.
func modelsNote(t *trace.Trace) string {
	uses := map[string]int{}
	for i := range t.Requests {
		if name, ok := modelOf(t.Requests[i].Body); ok {
			uses[name]++
		}
	}
	if len(uses) < 2 {
		return ""
	}
	names := slices.SortedFunc(maps.Keys(uses), func(a, b string) int { return cmp.Or(uses[b]-uses[a], cmp.Compare(a, b)) })
	var shown []string
	for _, name := range names[:min(len(names), mostModels)] {
		shown = append(shown, fmt.Sprintf("%q %d", name, uses[name]))
	}
	if more := len(names) - len(shown); more > 0 {
		shown = append(shown, fmt.Sprintf("%d more", more))
	}
	return fmt.Sprintf("The requests name %d models (%s). All are replayed on the same replicas, with one profile; prompts of two models share nothing. Where each model has replicas of its own, give the requests of one alone.", len(names), strings.Join(shown, ", "))
}

// modelOf is the model that a body names, "" if it names none; false: there is no body, or what it names is no text.
func modelOf(body []byte) (name string, ok bool) {
	if body == nil {
		return "", false
	}
	var short []byte // the members that may be named so, as json.Unmarshal takes names
	rawjson.Each(body, func(name, part []byte) {
		if string(name) == `"model"` || bytes.ContainsAny(name, `\ABCDEFGHIJKLMNOPQRSTUVWXYZ`) {
			short = append(append(append(append(short, ','), name...), ':'), part...)
		}
	})
	if short == nil {
		return "", true
	}
	short[0] = '{'
	var named struct{ Model string }
	err := json.Unmarshal(append(short, '}'), &named)
	return named.Model, err == nil
}

// recordNotes say what a trace of the module's records lacks.
func recordNotes(t *trace.Trace) []string {
	out := []string{fmt.Sprintf("Recorded by the module: %d requests in %d sessions.", len(t.Requests), t.Sessions)}
	if t.Missed > 0 {
		out = append(out, fmt.Sprintf("Not recorded, above record_per_second: %d requests. What they shared is not seen, and the load was higher.", t.Missed))
	}
	if t.Counted > 0 {
		out = append(out, fmt.Sprintf("Of their prompt tokens the replicas found %s cached.", figure.Percent(float64(t.Cached)/float64(t.Counted))))
	}
	if t.Guessed > 0 {
		out = append(out, fmt.Sprintf("Answers without a known length: %d, taken to have %d tokens.", t.Guessed, t.Guess))
	}
	return out
}

// input is what results go by: what the reader of the trace left out or made up, and how sure the replicas' cost profile is.
type input struct {
	Notes   []string `json:"notes"` // sentences; none: all was taken as it is
	Profile string   `json:"profile"`
	Basis   string   `json:"profile_basis"`
	Error   float64  `json:"profile_step_error,omitempty"` // relative half-width of the interval around a step's time; absent: not known
}

func newInput(t *trace.Trace, p *vllm.Profile) input {
	return input{Notes: append([]string{}, t.Notes...), Profile: p.Name, Basis: string(p.Basis), Error: p.Error}
}

// sentences are the notes, and one about the profile.
func (in *input) sentences() []string {
	about := fmt.Sprintf("The replicas are simulated by the cost profile %s (%s); it does not say how far its times may be off.", in.Profile, in.Basis)
	if in.Error > 0 {
		about = fmt.Sprintf("The replicas are simulated by the cost profile %s (%s): its times may be off by ± %.0f %%.", in.Profile, in.Basis, 100*in.Error)
	}
	return append(append([]string{}, in.Notes...), about)
}

// section is the part of a page that says so.
func (in *input) section() report.Section {
	return report.Section{Table: report.Table{Title: inputTitle, Note: strings.Join(in.sentences(), " ")}}
}

const inputTitle = "What was read"
