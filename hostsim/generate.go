package main

import (
	"fmt"
	"time"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/workload"
)

// generateCmd writes a made workload as a trace that replay reads.
type generateCmd struct {
	Kind          string        `help:"Workload to generate: ${enum}." enum:"${workloads}" default:"conversations"`
	Out           string        `help:"File to write, in OpenAI JSONL; - is standard output." required:"" placeholder:"FILE"`
	Requests      int           `help:"Number of requests." default:"1000" least:"1"`
	Seed          uint64        `help:"Seed; the same seed gives the same file."`
	Rate          float64       `help:"Sessions that start per second, as a Poisson process (bursts: on average)." default:"2"`
	Think         time.Duration `help:"Mean pause between an answer and the session's next turn." default:"10s"`
	TokenTime     time.Duration `help:"Assumed time per output token, used for the arrival times written; a closed-loop replay ignores them." default:"20ms"`
	PromptTokens  int           `help:"Tokens of a prompt or shared system prompt; 0: the workload's default."`
	OutputTokens  int           `help:"Mean tokens of an answer; 0: the workload's default."`
	SystemPrompts int           `help:"Number of shared system prompts; 0: the workload's default."`
	HotShare      float64       `help:"hot-prefix: share of the requests that have the hot prompt; 0: 0.9."`
	Model         string        `help:"Model name in the bodies." default:"warmroute-sim"`
}

// Run writes the file; what was in it before is gone.
func (c *generateCmd) Run(s *console.Streams) error {
	if c.Rate <= 0 || c.Think < 0 || c.TokenTime < 0 {
		return fmt.Errorf("rate %v, think %v, token time %v: want a rate above 0 and no negative time", c.Rate, c.Think, c.TokenTime)
	}
	if err := console.Writable(c.Out); err != nil {
		return err
	}
	w, err := workload.New(c.Kind, workload.Options{
		Seed: c.Seed, Requests: c.Requests, Model: c.Model, Rate: c.Rate,
		PromptTokens: c.PromptTokens, OutputTokens: c.OutputTokens, SystemPrompts: c.SystemPrompts, HotShare: c.HotShare,
	})
	if err != nil {
		return err
	}
	lines, err := w.Trace(s.Ctx, c.Seed, workload.Pauses{Think: c.Think, TokenTime: c.TokenTime})
	if err != nil {
		return err
	}
	return writeLines(s, c.Out, lines)
}
