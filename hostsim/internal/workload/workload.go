// Package workload generates LLM requests, the same for the same seed: sessions of one or more turns. Each turn is a
// JSON body to POST, which contains the answers that were really given to the turns before it.
//
// All text is generated from a word list of our own. Lengths follow published means: turns of ShareGPT have
// 161 prompt and 338 output tokens on average (Kwon et al., SOSP 2023, §6.1); we draw them log-normally.
package workload

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"
)

// BytesPerToken is the assumed length of a token in bytes: hostsim's replicas cut text every 4 bytes.
const BytesPerToken = 4

// Request is one turn, ready to be sent.
type Request struct {
	At           time.Duration // when its session starts, since the workload's start; a closed loop ignores it
	Session      string
	Path         string // of the API, such as /v1/chat/completions
	Body         []byte // JSON; asks for a stream that ends with the usage
	OutputTokens int    // that the body asks for, the answer's length
}

// Options say what to generate. Zero values mean each workload's own default.
type Options struct {
	Seed          uint64
	Requests      int     // turns in all, ≥ 1
	Model         string  // named in every body
	Salt          string  // cache_salt of every body: isolates a run's blocks from all others'; "" sends none
	PromptTokens  int     // a phrase's, prompt's or system prompt's length; each workload has its own default
	OutputTokens  int     // mean of an answer's length; likewise
	SystemPrompts int     // how many are shared: 2 to 4 by workload; phrases: how many phrases, 2
	HotShare      float64 // hot-prefix: share of the requests that have the hot one, 0.9; 0 to 1
	Live          int     // conversations under way at once, 16 to 64 by workload
	Rate          float64 // sessions started a second, as a Poisson process, for At; 0: all at once
}

// Workload is a list of sessions to run, Live of them at a time, in order.
type Workload struct {
	Name    string
	Live    int // sessions under way at once, ≥ 1
	scripts []script
	model   string
	salt    string
}

// script is the user's messages of one session, independent of the answers.
type script struct {
	id     string
	at     time.Duration
	prompt string // of a completion; then the session has one turn without text
	system string
	turns  []turn
}

type turn struct {
	user   string
	output int // tokens
}

// Names are the workloads that New makes.
func Names() []string {
	return []string{"phrases", "conversations", "shared-system", "threads", "agents", "hot-prefix", "no-reuse", "bursts"}
}

// Bounds of what system prompts take: bytes of their texts, and how many there are (of 12,000 tokens by default).
const (
	maxText    = 1 << 30
	maxPrompts = 1 << 14
)

// New makes the named workload. Errors: no such name, an option out of range.
func New(name string, o Options) (*Workload, error) {
	if o.Requests < 1 {
		return nil, fmt.Errorf("requests: %d is below 1", o.Requests)
	}
	if o.PromptTokens < 0 || o.OutputTokens < 0 || o.SystemPrompts < 0 || o.Live < 0 || o.Rate < 0 {
		return nil, fmt.Errorf("workload %s: an option is negative: %+v", name, o)
	}
	if !(o.HotShare >= 0 && o.HotShare <= 1) {
		return nil, fmt.Errorf("hot share: %v is not within 0 to 1", o.HotShare)
	}
	if most := maxText / BytesPerToken / max(o.SystemPrompts, 1); o.PromptTokens > most || o.SystemPrompts > maxPrompts {
		return nil, fmt.Errorf("workload %s: %d system prompts of %d tokens; at most %d, and %d tokens together", name, o.SystemPrompts, o.PromptTokens, maxPrompts, maxText/BytesPerToken)
	}
	rng := rand.New(rand.NewPCG(o.Seed, 0))
	w := &Workload{Name: name, Live: 1, model: o.Model, salt: o.Salt}
	switch name {
	case "phrases":
		w.phrases(rng, o)
	case "conversations":
		w.conversations(rng, o)
	case "shared-system", "bursts":
		w.sharedSystem(rng, o)
	case "threads":
		w.threads(rng, o)
	case "agents":
		w.agents(rng, o)
	case "hot-prefix":
		w.hotPrefix(rng, o)
	case "no-reuse":
		w.noReuse(rng, o)
	default:
		return nil, fmt.Errorf("workload %q: none of that name; there are %s", name, strings.Join(Names(), ", "))
	}
	w.starts(rng, o.Rate, name == "bursts")
	return w, nil
}

// Requests is the number of turns of all sessions.
func (w *Workload) Requests() int {
	n := 0
	for _, s := range w.scripts {
		n += len(s.turns)
	}
	return n
}

// Start returns the sessions from their beginning, in order; it may be called again for another pass.
func (w *Workload) Start() []*Session {
	sessions := make([]*Session, len(w.scripts))
	for i := range w.scripts {
		sessions[i] = &Session{script: &w.scripts[i], model: w.model, salt: w.salt}
	}
	return sessions
}

// Session is one conversation in progress. It is not safe for concurrent use.
type Session struct {
	script  *script
	model   string
	salt    string
	next    int
	history []chatMessage
}

type chatMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type requestBody struct {
	Model         string        `json:"model"`
	Messages      []chatMessage `json:"messages,omitempty"`
	Prompt        string        `json:"prompt,omitempty"`
	MaxTokens     int           `json:"max_tokens"`
	Stream        bool          `json:"stream"`
	StreamOptions streamOptions `json:"stream_options"`
	CacheSalt     string        `json:"cache_salt,omitempty"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// ID names the session; unique within the workload.
func (s *Session) ID() string { return s.script.id }

// Next returns the session's next turn, given the answer to the one before (ignored at the first);
// false when there is none.
func (s *Session) Next(answer string) (Request, bool) {
	if s.next == len(s.script.turns) {
		return Request{}, false
	}
	t := s.script.turns[s.next]
	body := requestBody{Model: s.model, MaxTokens: t.output, Stream: true, StreamOptions: streamOptions{true}, CacheSalt: s.salt}
	path := "/v1/completions"
	if s.script.prompt != "" {
		body.Prompt = s.script.prompt
	} else {
		path = "/v1/chat/completions"
		switch {
		case s.next > 0:
			s.history = append(s.history, chatMessage{"assistant", answer})
		case s.script.system != "":
			s.history = append(s.history, chatMessage{"system", s.script.system})
		}
		s.history = append(s.history, chatMessage{"user", t.user})
		body.Messages = s.history
	}
	s.next++
	data, _ := json.Marshal(body) // strings and numbers cannot fail
	return Request{At: s.script.at, Session: s.script.id, Path: path, Body: data, OutputTokens: t.output}, true
}

// logNormal draws a length in tokens with that mean, within 1/16 and 4 times of it, at least 1. Sigma 0.8 of
// the logarithm is ours: chat lengths spread over about a decade.
func logNormal(rng *rand.Rand, mean int) int {
	const sigma = 0.8
	x := float64(mean) * math.Exp(sigma*rng.NormFloat64()-sigma*sigma/2)
	return max(1, mean/16, min(int(x), 4*mean))
}
