package calibrate

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warmroute/hostsim/internal/vllm"
)

// line is a request in a log of our own form: times in seconds, since any moment.
type line struct {
	Arrival  *float64 `json:"arrival"`
	Prompt   int      `json:"prompt_tokens"`
	Output   int      `json:"output_tokens"`
	Cached   int      `json:"cached_tokens"` // of the prompt, found in the cache; only without ids
	TTFT     float64  `json:"ttft"`
	Latency  float64  `json:"latency"` // to the last token
	PromptID []uint32 `json:"prompt_ids"`
	OutputID []uint32 `json:"output_ids"`
}

// ReadLog reads a measured run: a JSONL file, compressed by gzip or not, of
//
//	{"arrival": 12.5, "prompt_tokens": 862, "output_tokens": 240, "ttft": 0.31, "latency": 9.8, "cached_tokens": 640}
//
// with times in seconds and, for a server with a prefix cache, either "prompt_ids" and "output_ids" (token ids, so that the
// model's cache decides) or the "cached_tokens" that the server reported; or a folder as LLMServingSim publishes its runs.
// Errors name the line and the field.
func ReadLog(path string) (*Run, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return readFolder(path)
	}
	var lines []line
	err = each(path, func(text []byte) error {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			if typed := (*json.UnmarshalTypeError)(nil); errors.As(err, &typed) {
				return fmt.Errorf("%s: %s where a number belongs", typed.Field, typed.Value)
			}
			return err
		}
		lines = append(lines, l)
		return l.check()
	})
	run := &Run{}
	if err == nil {
		slices.SortStableFunc(lines, func(a, b line) int { return cmp.Compare(*a.Arrival, *b.Arrival) }) // logs are often in the order of ends
		for _, l := range lines {
			run.add(*l.Arrival-*lines[0].Arrival, l)
		}
		err = run.check()
	}
	if per := mean(run.TPOT); err == nil && per > slowest {
		err = fmt.Errorf("a token of an answer takes %.3g s in the mean: are these milliseconds? ttft and latency are in seconds", per)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return run, nil
}

// slowest is more seconds than a token takes on any server that is worth a profile.
const slowest = 3

func (l *line) check() error {
	switch {
	case l.Arrival == nil:
		return errors.New("arrival: missing")
	case l.Prompt < 1 || l.Output < 1:
		return fmt.Errorf("prompt_tokens %d and output_tokens %d must be at least 1", l.Prompt, l.Output)
	case !(l.TTFT > 0) || l.Latency < l.TTFT:
		return fmt.Errorf("ttft %v must be above 0, and latency %v not below it", l.TTFT, l.Latency)
	case l.Cached < 0 || l.Cached >= l.Prompt:
		return fmt.Errorf("cached_tokens: %d is not within 0 to prompt_tokens - 1", l.Cached)
	case l.PromptID != nil && len(l.PromptID) != l.Prompt:
		return fmt.Errorf("prompt_ids: %d for %d prompt_tokens", len(l.PromptID), l.Prompt)
	}
	return nil
}

// add appends a request at a time in seconds. Without ids it shares nothing with others: a request of which the server
// found a part in its cache is as long as the rest.
func (r *Run) add(at float64, l line) {
	q := vllm.Request{ID: uint64(len(r.Requests)), PromptTokens: l.Prompt, MaxTokens: l.Output}
	if l.PromptID != nil {
		q.Tokens = append(l.PromptID, l.OutputID...)
	} else {
		q.PromptTokens -= l.Cached
		q.Hashes = []uint64{}
	}
	r.Arrivals = append(r.Arrivals, int64(at*1e9))
	r.Requests = append(r.Requests, q)
	r.TTFT = append(r.TTFT, l.TTFT)
	r.TPOT = append(r.TPOT, (l.Latency-l.TTFT)/float64(max(1, l.Output-1)))
}

// readFolder reads LLMServingSim's form: requests.jsonl with the timings, and one gzipped JSONL file with arrivals and
// token ids.
func readFolder(dir string) (*Run, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl.gz"))
	if err != nil || len(names) != 1 {
		return nil, fmt.Errorf("%s: %d gzipped workloads, want one beside requests.jsonl", dir, len(names))
	}
	run := &Run{}
	err = each(names[0], func(text []byte) error {
		var l struct {
			At     int64    `json:"arrival_time_ns"`
			Out    int      `json:"output_toks"`
			Prompt []uint32 `json:"input_tok_ids"`
			Answer []uint32 `json:"output_tok_ids"`
		}
		if err := json.Unmarshal(text, &l); err != nil {
			return err
		}
		run.Arrivals = append(run.Arrivals, l.At)
		run.Requests = append(run.Requests, vllm.Request{
			ID: uint64(len(run.Requests)), Tokens: append(l.Prompt, l.Answer...), PromptTokens: len(l.Prompt), MaxTokens: l.Out,
		})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", names[0], err)
	}
	timings := filepath.Join(dir, "requests.jsonl")
	err = each(timings, func(text []byte) error {
		var l struct {
			Out    int     `json:"output_toks"`
			Queued float64 `json:"queued_ts"`
			First  float64 `json:"first_token_ts"`
			Last   float64 `json:"last_token_ts"`
		}
		if err := json.Unmarshal(text, &l); err != nil {
			return err
		}
		run.TTFT = append(run.TTFT, l.First-l.Queued)
		run.TPOT = append(run.TPOT, (l.Last-l.First)/float64(max(1, l.Out-1)))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", timings, err)
	}
	if len(run.Requests) != len(run.TTFT) {
		return nil, fmt.Errorf("%s: %d requests, %d timings", dir, len(run.Requests), len(run.TTFT))
	}
	return run, run.check()
}

// each calls f with every line of a file; errors name the line.
func each(name string, f func([]byte) error) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(file); err != nil {
			return err
		}
	}
	s := bufio.NewScanner(r)
	s.Buffer(nil, 16<<20)
	for n := 1; s.Scan(); n++ {
		if len(s.Bytes()) == 0 {
			continue
		}
		if err := f(s.Bytes()); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return s.Err()
}
