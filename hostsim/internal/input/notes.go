package input

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/rawjson"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

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

// mostModels bounds the models that a note names.
const mostModels = 4

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

// Notes is what results go by: what the reader of the trace left out or made up, and how sure the replicas' cost profile is.
type Notes struct {
	Notes   []string `json:"notes"` // sentences; none: all was taken as it is
	Profile string   `json:"profile"`
	Basis   string   `json:"profile_basis"`
	Error   float64  `json:"profile_step_error,omitempty"` // relative half-width of the interval around a step's time; absent: not known
}

// NewNotes are those of a trace that Open read, replayed on replicas of a profile.
func NewNotes(t *trace.Trace, p *vllm.Profile) Notes {
	return Notes{Notes: append([]string{}, t.Notes...), Profile: p.Name, Basis: string(p.Basis), Error: p.Error}
}

// Sentences are the notes, and one about the profile.
func (in *Notes) Sentences() []string {
	about := fmt.Sprintf("The replicas are simulated by the cost profile %s (%s); it does not say how far its times may be off.", in.Profile, in.Basis)
	if in.Error > 0 {
		about = fmt.Sprintf("The replicas are simulated by the cost profile %s (%s): its times may be off by ± %.0f %%.", in.Profile, in.Basis, 100*in.Error)
	}
	return append(append([]string{}, in.Notes...), about)
}

// Section is the part of a page that says so.
func (in *Notes) Section() report.Section {
	return report.Section{Table: report.Table{Title: NotesTitle, Note: strings.Join(in.Sentences(), " ")}}
}

// NotesTitle is the title of that part.
const NotesTitle = "What was read"
