package trace

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Format names a file format; if it is empty, Read detects the format from the content.
type Format string

// The formats that Read understands.
const (
	Mooncake Format = "mooncake"
	Sessions Format = "sessions"
	OpenAI   Format = "openai"
	Azure    Format = "azure"
	LMBench  Format = "lmbench"
	Record   Format = "record"
)

// Formats lists them, for help texts and flags.
func Formats() []string {
	return []string{string(Mooncake), string(Sessions), string(OpenAI), string(Azure), string(LMBench), string(Record)}
}

// Options say how to read a trace. The comments say what zero values mean.
type Options struct {
	Format  Format
	SkipBad bool // count bad lines instead of failing at the first
	Skip    int  // leave out so many lines first (LMBenchmark: requests)
	Limit   int  // stop after so many requests (sessions: sessions); 0: all

	Model string        // model name in generated bodies (LMBenchmark)
	Gap   time.Duration // between requests of a file without times (LMBenchmark); 0: 1 s

	// Of coding sessions:
	Seed        uint64        // of the sessions' starts
	SessionRate float64       // session starts per second, a Poisson process; 0: 0.025, one in 40 s
	MaxGap      time.Duration // a longer pause within a session is cut to this; 0: 10 min
	Sharing     Sharing       // what sessions share; the zero value is ShareTools
}

// MaxLine is the longest line that is read, in bytes.
const MaxLine = 64 << 20

// Open reads a trace file, compressed by gzip or not. An error is a *LineError, or that of opening or reading the file.
func Open(path string, o Options) (*Trace, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f, path, o)
}

// Read reads a trace. Errors call it by name.
func Read(r io.Reader, name string, o Options) (*Trace, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		zip, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		in = bufio.NewReaderSize(zip, 1<<16)
	}
	if o.Format == "" {
		head, _ := in.Peek(1 << 16)
		if o.Format = detect(head); o.Format == "" {
			return nil, fmt.Errorf("%s: this looks like none of the formats %s", name, strings.Join(Formats(), ", "))
		}
	}
	o.Gap = cmp.Or(o.Gap, time.Second)
	o.SessionRate = cmp.Or(o.SessionRate, 0.025)
	o.MaxGap = cmp.Or(o.MaxGap, 10*time.Minute)
	if !(o.SessionRate > 0) || o.Gap < 0 || o.MaxGap < 0 || o.Limit < 0 || o.Skip < 0 {
		return nil, fmt.Errorf("%s: an option is out of range: %+v", name, o)
	}
	l := &loader{in: in, name: filepath.Base(name), options: o, trace: &Trace{Format: o.Format}}
	read, ok := map[Format]func() error{
		Mooncake: l.mooncake, Sessions: l.sessions, OpenAI: l.openAI, Azure: l.azure, LMBench: l.lmbench, Record: l.record,
	}[o.Format]
	if !ok {
		return nil, fmt.Errorf("%s: format %q: none of that name; there are %s", name, o.Format, strings.Join(Formats(), ", "))
	}
	if err := read(); err != nil {
		return nil, err
	}
	if len(l.trace.Requests) == 0 {
		if l.trace.First != nil {
			return nil, fmt.Errorf("%s: no request in it, and bad lines: %d; the first: %w", name, l.trace.Skipped, l.trace.First)
		}
		return nil, fmt.Errorf("%s: no request in it", name)
	}
	if l.trace.sort(); o.Skip > 0 {
		l.trace.Shift(func(int) int64 { return 0 }) // what was left out takes no time
	}
	return l.trace, nil
}

// detect finds the format from the first bytes: the first member of the first object that only one format has.
func detect(head []byte) Format {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	switch {
	case len(head) == 0:
		return ""
	case HasRecord(head):
		return Record
	case head[0] == '[':
		return LMBench
	case head[0] != '{':
		if line, _, _ := bytes.Cut(head, []byte("\n")); bytes.HasPrefix(head, []byte("TIMESTAMP,ContextTokens")) || azureLine.Match(line) {
			return Azure
		}
		return ""
	}
	dec := json.NewDecoder(bytes.NewReader(head))
	for depth, key := 0, false; ; {
		token, err := dec.Token()
		if err != nil {
			return ""
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				depth++
			} else {
				depth--
			}
			key = depth == 1
		default:
			if depth != 1 {
				continue
			}
			if key {
				switch v {
				case "hash_ids", "timestamp":
					return Mooncake
				case "requests", "block_size":
					return Sessions
				case "body", "output_tokens":
					return OpenAI
				}
			}
			key = !key
		}
	}
}

// loader is one Read under way.
type loader struct {
	in      *bufio.Reader
	name    string
	options Options
	trace   *Trace
	line    int
}

// full reports whether n, the number of requests or sessions read, has reached the limit.
func (l *loader) full(n int) bool { return l.options.Limit > 0 && n >= l.options.Limit }

// lines calls each for every line that is not blank, until it fails or says that it has enough.
func (l *loader) lines(each func([]byte) (enough bool, err error)) error {
	s := bufio.NewScanner(l.in)
	s.Buffer(make([]byte, 0, 1<<16), MaxLine)
	left := l.options.Skip
	for s.Scan() {
		l.line++
		if len(bytes.TrimSpace(s.Bytes())) == 0 {
			continue
		}
		if left > 0 {
			left--
			continue
		}
		enough, err := each(s.Bytes())
		if err != nil {
			if err = l.bad(err); err != nil {
				return err
			}
		}
		if enough {
			return nil
		}
	}
	err := s.Err()
	switch {
	case errors.Is(err, bufio.ErrTooLong):
		err = fmt.Errorf("the line is longer than %d MiB", MaxLine>>20)
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the file breaks off: %w", err)
	}
	if err == nil {
		return nil
	}
	if l.line++; l.trace.Format == Record && errors.Is(err, io.ErrUnexpectedEOF) {
		return l.bad(err)
	}
	return l.fault(err)
}

// Detect returns the format of a file that begins with head, by the members that each one must have: a log of some other
// program may have a body or a timestamp too. "": it is none of the Formats.
func Detect(head []byte) Format {
	must := map[Format]string{OpenAI: "t", Mooncake: "hash_ids", Sessions: "block_size", LMBench: "output_length"}
	format := detect(head)
	if format == "" || must[format] == "" {
		return format
	}
	line, _, _ := bytes.Cut(head, []byte("\n"))
	if format == LMBench {
		line = head
	}
	at := bytes.Index(line, []byte(`"`+must[format]+`"`))
	if at < 0 || format == OpenAI && otherClock.Match(line[at:]) {
		return ""
	}
	return format
}

// otherClock is a member t that is no time of ours: a text, or seconds since 1970.
var otherClock = regexp.MustCompile(`^"t"\s*:\s*(?:"|[0-9]{10})`)
