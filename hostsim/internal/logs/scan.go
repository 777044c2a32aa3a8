package logs

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"warmroute/hostsim/internal/trace"
)

// readLine reads a line without its end into buffer. One that is longer than trace.MaxLine is passed over, and what it begins with returned.
func readLine(in *bufio.Reader, buffer []byte) (line []byte, long bool, err error) {
	for line = buffer; ; {
		part, err := in.ReadSlice('\n')
		if room := trace.MaxLine - len(line); len(part) > room {
			part, long = part[:max(room, 0)], true
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), long, err
		}
	}
}

// BrokenError is the error of a reader whose compressed file is broken.
type BrokenError struct{ Err error }

// Error is the fault's.
func (e *BrokenError) Error() string { return e.Err.Error() }

// Unwrap returns the fault.
func (e *BrokenError) Unwrap() error { return e.Err }

// ends judges why a file ends. Where it was cut, as a log that is still being compressed, what came before is used, and said.
func (c *collector) ends(err error, any bool) error {
	var corrupt flate.CorruptInputError
	var broken *BrokenError
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return nil
	case any && (errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt)):
		c.leave("all from here on: the file breaks off, or is broken (" + err.Error() + ")")
		return nil
	}
	return fmt.Errorf("%s:%d: %w", c.name, c.line+1, err)
}

// broken is ends of a text that is not one record a line: nothing after a fault can be told apart.
func (c *collector) broken(err error, any bool) error {
	if any {
		c.leave("all from here on: not JSON (" + err.Error() + ")")
		return nil
	}
	return fmt.Errorf("%s:%d: %w", c.name, c.line, err)
}

// spread says whether the text is JSON values over several lines: an array, or objects that were indented. One whose first value is
// no JSON is not: its first line may have been cut.
func spread(head []byte) bool {
	head = bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\ufeff")))
	if len(head) == 0 {
		return false
	}
	line, _, more := bytes.Cut(head, []byte("\n"))
	line = bytes.TrimSpace(line)
	var may bool
	switch head[0] {
	case '[':
		may = len(line) == 1 || line[1] == '{' || line[1] == ' '
	case '{':
		may = more && (len(line) == 1 || !json.Valid(line) && line[len(line)-1] != '}')
	}
	if !may {
		return false
	}
	var first json.RawMessage
	var fault *json.SyntaxError
	err := json.NewDecoder(bytes.NewReader(head)).Decode(&first)
	return !errors.As(err, &fault)
}
