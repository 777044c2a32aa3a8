package console

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"warmroute/hostsim/internal/report"
)

// SchemaVersion is that of the results' JSON: it grows when a member changes its meaning or goes.
const SchemaVersion = 1

// Made says what a file of results is and what made it.
type Made struct {
	Schema  string   `json:"schema"` // such as "warmroute replay 1"
	Version Versions `json:"hostsim"`
	Command []string `json:"command"`
	Partial string   `json:"partial,omitempty"` // why it is not all that was asked for
}

// WriteJSON writes results, an object, with what made them; - is standard output.
func (s *Streams) WriteJSON(path string, v any) error {
	head, err := json.Marshal(Made{fmt.Sprintf("warmroute %s %d", s.Command, SchemaVersion), NewVersions(s.Module), s.Args, s.partial})
	if err != nil {
		return err
	}
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	all := bytes.TrimSuffix(head, []byte("}"))
	if inner := bytes.TrimPrefix(body, []byte("{")); len(inner) > 1 {
		all = append(append(all, ','), inner...)
	} else {
		all = append(all, '}')
	}
	var text bytes.Buffer
	if err := json.Indent(&text, all, "", "  "); err != nil {
		return err
	}
	text.WriteByte('\n')
	out, err := s.Create(path)
	if err != nil {
		return err
	}
	_, err = out.Write(text.Bytes())
	return errors.Join(err, out.Close())
}

// Tables is where tables and sentences go: standard output, unless JSON goes there.
func (s *Streams) Tables(json string) io.Writer {
	if json == "-" {
		return s.Stderr
	}
	return s.Stdout
}

// Writable tries whether files can be written, before work whose results would be lost. Files that there are keep what
// they have. "" and - are no files.
func Writable(paths ...string) error {
	for _, path := range paths {
		if path == "" || path == "-" {
			continue
		}
		_, before := os.Stat(path)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		if err := f.Close(); err != nil {
			return err
		}
		if errors.Is(before, os.ErrNotExist) {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// MadeBy is what a page's foot says of its making: the program and the command.
func (s *Streams) MadeBy() string {
	return fmt.Sprintf("Made by hostsim %s: hostsim %s", NewVersions("").Version, strings.Join(s.Args, " "))
}

// Stopped says whether work was interrupted, so that what is done is to be kept, and notes how much that is; total 0: nobody knows of how
// much.
func (s *Streams) Stopped(err error, done, total int, what string) bool {
	if done == 0 || !errors.Is(err, context.Canceled) {
		return false
	}
	s.partial = fmt.Sprintf("stopped: %d of %d %s are done", done, total, what)
	if total == 0 {
		s.partial = "stopped: the results are of what was done by then"
	}
	s.ClearLine()
	fmt.Fprintln(s.Stderr, "hostsim:", s.partial)
	return true
}

// ErrStopped is the error of a command that has kept part of its results.
func (s *Streams) ErrStopped() error {
	if s.partial == "" {
		return nil
	}
	return errors.New(s.partial)
}

// WritePage writes a page to a file; - is standard output.
func (s *Streams) WritePage(page *report.Page, path string) error {
	out, err := s.Create(path)
	if err != nil {
		return err
	}
	made := *page
	made.Foot = strings.TrimSpace(strings.TrimSuffix(made.Foot, ".") + ". " + s.MadeBy())
	return errors.Join(made.WriteHTML(out), out.Close())
}
