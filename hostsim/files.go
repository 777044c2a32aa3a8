package main

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

// readJSON reads a file of JSON. An error names the file, and the line or the member.
func (s *streams) readJSON(path string, into any) error {
	text, err := s.readByHand(path)
	if err != nil {
		return err // it names the file
	}
	if err := json.Unmarshal(text, into); err != nil {
		return jsonFault(shown(path), text, err)
	}
	return nil
}

// jsonFault adds to an error of encoding/json the file's name, and the line where it can be told.
func jsonFault(name string, text []byte, err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%d: %w", name, 1+strings.Count(string(text[:min(int(syntax.Offset), len(text))]), "\n"), err)
	}
	return fmt.Errorf("%s: %w", name, err)
}
