package console

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"warmroute/hostsim/internal/layout"
)

// OpenText opens a file to read as UTF-8, unpacked if it is compressed by gzip or zstd; - is standard input.
func (s *Streams) OpenText(path string) (*bufio.Reader, io.Closer, error) {
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
		return nil, nil, errors.Join(fmt.Errorf("%s: %w", Shown(path), err), in.Close())
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

// Shown is a file's name for messages.
func Shown(path string) string {
	if path == "-" {
		return "standard input"
	}
	return path
}

// open opens a file to read; - is standard input.
func (s *Streams) open(path string) (io.ReadCloser, error) {
	if path == "-" {
		r, w := io.Pipe() // a read of a terminal does not end by itself
		context.AfterFunc(s.Ctx, func() { _ = w.CloseWithError(s.Ctx.Err()) })
		go func() {
			_, err := io.Copy(w, s.Stdin)
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
	return stopped{s.Ctx, f}, nil
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

// ReadFile reads a whole file; - is standard input.
func (s *Streams) ReadFile(path string) ([]byte, error) {
	in, err := s.open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return io.ReadAll(in)
}

// ReadByHand reads a file that people write, without the mark that editors on Windows put before UTF-8.
func (s *Streams) ReadByHand(path string) ([]byte, error) {
	text, err := s.ReadFile(path)
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

// Create replaces a file; - is standard output.
func (s *Streams) Create(path string) (io.WriteCloser, error) {
	if path == "-" {
		return keptOpen{s.Stdout}, nil
	}
	return os.Create(path)
}

// keptOpen is a writer that others still use after it is closed.
type keptOpen struct{ io.Writer }

func (keptOpen) Close() error { return nil }

// ReadJSON reads a file of JSON. An error names the file, and the line or the member.
func (s *Streams) ReadJSON(path string, into any) error {
	text, err := s.ReadByHand(path)
	if err != nil {
		return err // it names the file
	}
	if err := json.Unmarshal(text, into); err != nil {
		return JSONFault(Shown(path), text, err)
	}
	return nil
}

// JSONFault adds to an error of encoding/json the file's name, and the line where it can be told.
func JSONFault(name string, text []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%d: %w", name, 1+strings.Count(string(text[:min(int(syntax.Offset), len(text))]), "\n"), err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
