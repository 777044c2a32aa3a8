// Package input reads what people give a command: a trace or a log, as import would make one of it, and a configuration in whatever holds
// it. What was left out or made up is said on stderr, and noted for the results.
package input

import (
	"errors"
	"fmt"
	"io"
	"time"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/figure"
	"warmroute/hostsim/internal/logs"
	"warmroute/hostsim/internal/trace"
)

// longestPause is to what the pauses of a log are cut in replays; those of coding sessions are, too (trace.Options.MaxGap).
const longestPause = 10 * time.Minute

// Open reads a trace, or a log as import would; path - is standard input. What is made up is said on stderr. Where prompts have
// their text, or records, replicas keep answers, and pauses are cut; published traces of block ids are replayed as the studies do, without.
// asItCame leaves all times as they are.
func Open(s *console.Streams, path string, o trace.Options, asItCame bool) (*trace.Trace, error) {
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
	if step, share := t.CoarseClock(); step > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Requests that have the time of the one before them: %s, for the clock that wrote the times has steps of %v. So they come in bursts that nobody sent, and wait for each other; replay takes them apart with --spread %v.", figure.Percent(share), step, step))
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
	lines, report, err := Logs(s, []logs.File{{Name: console.Shown(path), In: r}}, logs.Options{Skip: o.Skip, Limit: o.Limit, Gap: o.Gap})
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
