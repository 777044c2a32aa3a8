package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"time"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/input"
	"warmroute/hostsim/internal/logs"
	"warmroute/hostsim/internal/trace"
)

// importCmd makes a trace of logs.
type importCmd struct {
	Files        []string      `arg:"" name:"file" help:"Logs: of a proxy with bodies (JSON, text or CSV), of LiteLLM, OpenAI batch files (requests and answers), vLLM's and SGLang's request logs, Bedrock, Gemini, Langfuse, LangSmith, OpenTelemetry's spans, HAR, ShareGPT, a chat program's messages, or bare bodies; compressed by gzip or zstd, or not. - is standard input."`
	Out          string        `help:"File to write, a trace in the format openai; - is standard output." default:"-" placeholder:"FILE"`
	Gap          time.Duration `help:"Time between requests of a log without times." default:"1s"`
	OutputTokens int           `help:"Tokens of an answer whose length the log does not say; 0: the mean of those that it says." placeholder:"N"`
	Skip         int           `help:"Skip so many lines first; of a list, records."`
	Limit        int           `help:"Read only that many requests, and their answers."`
}

// Run writes the trace, and says on stderr what was left out or made up.
func (c *importCmd) Run(s *console.Streams) error {
	switch {
	case c.OutputTokens > trace.MaxTokens:
		return fmt.Errorf("--output-tokens: %d is above %d", c.OutputTokens, trace.MaxTokens)
	case c.Gap == 0:
		return errors.New("--gap: 0s is not above 0")
	}
	if err := console.Writable(c.Out); err != nil {
		return err
	}
	var files []logs.File
	for _, name := range c.Files {
		in, closer, err := s.OpenText(name)
		if err != nil {
			return err
		}
		defer closer.Close()
		head, _ := in.Peek(1 << 16)
		if format := trace.Detect(head); format != "" && format != trace.OpenAI {
			return fmt.Errorf("%s: nothing to import: advise and replay read it as it is (format %s)", console.Shown(name), format)
		}
		files = append(files, logs.File{Name: console.Shown(name), In: in})
	}
	lines, report, err := input.Logs(s, files, logs.Options{Gap: c.Gap, OutputTokens: c.OutputTokens, Skip: c.Skip, Limit: c.Limit})
	if err != nil {
		return err
	}
	for _, note := range report.Notes() {
		fmt.Fprintln(s.Stderr, note)
	}
	return writeLines(s, c.Out, lines)
}

// writeLines writes a trace. A file that it could not write to its end is removed: it would be read as a whole one.
func writeLines(s *console.Streams, path string, lines []trace.Line) error {
	out, err := s.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 1<<16)
	var text []byte
	for i := 0; err == nil && i < len(lines); i++ {
		if err = s.Ctx.Err(); err == nil {
			text, err = lines[i].Append(text[:0])
		}
		if err == nil {
			_, err = w.Write(text)
		}
	}
	if err == nil {
		err = w.Flush()
	}
	err = errors.Join(err, out.Close())
	if info, broken := os.Lstat(path); err != nil && broken == nil && info.Mode().IsRegular() {
		_ = os.Remove(path)
	}
	return err
}
