package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/layout"
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
func (c *importCmd) Run(s *streams) error {
	switch {
	case c.OutputTokens > trace.MaxTokens:
		return fmt.Errorf("--output-tokens: %d is above %d", c.OutputTokens, trace.MaxTokens)
	case c.Gap == 0:
		return errors.New("--gap: 0s is not above 0")
	}
	if err := writable(c.Out); err != nil {
		return err
	}
	var files []logs.File
	for _, name := range c.Files {
		in, closer, err := s.openText(name)
		if err != nil {
			return err
		}
		defer closer.Close()
		head, _ := in.Peek(1 << 16)
		if format := trace.Detect(head); format != "" && format != trace.OpenAI {
			return fmt.Errorf("%s: nothing to import: advise and replay read it as it is (format %s)", shown(name), format)
		}
		files = append(files, logs.File{Name: shown(name), In: in})
	}
	lines, report, err := s.readLogs(files, logs.Options{Gap: c.Gap, OutputTokens: c.OutputTokens, Skip: c.Skip, Limit: c.Limit})
	if err != nil {
		return err
	}
	for _, note := range report.Notes() {
		fmt.Fprintln(s.stderr, note)
	}
	return s.writeLines(c.Out, lines)
}

// logGarbage is for how many percent of what is kept of a log garbage may stand in memory beside it: nearly all are bodies, in which the
// collector has nothing to look for.
const logGarbage = 25

// readLogs reads logs, and shows how far it is.
func (s *streams) readLogs(files []logs.File, o logs.Options) ([]trace.Line, *logs.Report, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(logGarbage))
	s.meter = meter{}
	defer clearLine(s)
	o.Accept, o.Progress = acceptBody, func(file string, lines int) { s.at(lines, 0, "lines of "+file) }
	return logs.Read(files, o)
}

// writeLines writes a trace. A file that it could not write to its end is removed: it would be read as a whole one.
func (s *streams) writeLines(path string, lines []trace.Line) error {
	out, err := s.create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(out, 1<<16)
	var text []byte
	for i := 0; err == nil && i < len(lines); i++ {
		if err = s.ctx.Err(); err == nil {
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

// acceptBody refuses what a simulated replica would.
func acceptBody(path string, body []byte) error {
	_, err := fleet.ParseRequest(path, body, 1)
	return err
}

// openText opens a file to read as UTF-8, unpacked if it is compressed by gzip or zstd; - is standard input.
func (s *streams) openText(path string) (*bufio.Reader, io.Closer, error) {
	in, err := s.open(path)
	if err != nil {
		return nil, nil, err
	}
	r := bufio.NewReaderSize(in, 1<<16)
	var inside io.Reader = r
	switch magic, _ := r.Peek(4); {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		inside, err = gzip.NewReader(r)
	case bytes.HasPrefix(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		var unpacked *zstd.Decoder
		unpacked, err = zstd.NewReader(r)
		inside = packed{unpacked}
	}
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", shown(path), err), in.Close())
	}
	inside = transform.NewReader(inside, unicode.BOMOverride(transform.Nop)) // Windows' shells write UTF-16
	return bufio.NewReaderSize(inside, 1<<16), in, nil
}

// packed is a compressed file, whose faults are a *layout.BrokenError.
type packed struct{ io.Reader }

func (p packed) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, context.Canceled) {
		err = &layout.BrokenError{Err: err}
	}
	return n, err
}

// shown is a file's name for messages.
func shown(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// open opens a file to read; - is standard input.
func (s *streams) open(path string) (io.ReadCloser, error) {
	if path == "-" {
		r, w := io.Pipe() // a read of a terminal does not end by itself
		context.AfterFunc(s.ctx, func() { _ = w.CloseWithError(s.ctx.Err()) })
		go func() {
			_, err := io.Copy(w, s.stdin)
			_ = w.CloseWithError(err)
		}()
		return r, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(fmt.Errorf("%s is a directory: name a file in it", path), f.Close())
	}
	return stopped{s.ctx, f}, nil
}

// stopped is read until the program is interrupted.
type stopped struct {
	ctx context.Context
	io.ReadCloser
}

func (r stopped) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.ReadCloser.Read(p)
}

// readFile reads a whole file; - is standard input.
func (s *streams) readFile(path string) ([]byte, error) {
	in, err := s.open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// readByHand reads a file that people write, without the mark that editors on Windows put before UTF-8.
func (s *streams) readByHand(path string) ([]byte, error) {
	text, err := s.readFile(path)
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

// create replaces a file; - is standard output.
func (s *streams) create(path string) (io.WriteCloser, error) {
	if path == "-" {
		return keptOpen{s.stdout}, nil
	}
	return os.Create(path)
}

// keptOpen is a writer that others still use after it is closed.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }
