package main

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

// schemaVersion is that of the results' JSON: it grows when a member changes its meaning or goes.
const schemaVersion = 1

// made says what a file of results is and what made it.
type made struct {
	Schema  string   `json:"schema"` // such as "warmroute replay 1"
	Version versions `json:"hostsim"`
	Command []string `json:"command"`
	Partial string   `json:"partial,omitempty"` // why it is not all that was asked for
}

// writeJSON writes results, an object, with what made them; - is standard output.
func writeJSON(s *streams, path string, v any) error {
	var name string
	if len(s.args) > 0 {
		if name = s.args[0]; name == "study" && len(s.args) > 1 {
			name += " " + s.args[1]
		}
	}
	head, err := json.Marshal(made{fmt.Sprintf("warmroute %s %d", name, schemaVersion), newVersions("build/warmroute.wasm"), s.args, s.partial})
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
	out, err := s.create(path)
	if err != nil {
		return err
	}
	_, err = out.Write(text.Bytes())
	return errors.Join(err, out.Close())
}

// tables is where tables and sentences go: standard output, unless JSON goes there.
func (s *streams) tables(json string) io.Writer {
	if json == "-" {
		return s.stderr
	}
	return s.stdout
}

// writable tries whether files can be written, before work whose results would be lost. Files that there are keep what
// they have. "" and - are no files.
func writable(paths ...string) error {
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

// setup is what a page's foot says of its making: the program and the command.
func (s *streams) setup() string {
	return fmt.Sprintf("Made by hostsim %s: hostsim %s", newVersions("").Version, strings.Join(s.args, " "))
}

// stopped says whether work was interrupted, so that what is done is to be kept, and notes how much that is.
func (s *streams) stopped(err error, done, total int, what string) bool {
	if done == 0 || !errors.Is(err, context.Canceled) {
		return false
	}
	s.partial = fmt.Sprintf("stopped: %d of %d %s are done", done, total, what)
	clearLine(s)
	fmt.Fprintln(s.stderr, "hostsim:", s.partial)
	return true
}

// errStopped is the error of a command that has kept part of its results.
func (s *streams) errStopped() error {
	if s.partial == "" {
		return nil
	}
	return errors.New(s.partial)
}

// writePage writes a page to a file; - is standard output.
func writePage(s *streams, page *report.Page, path string) error {
	out, err := s.create(path)
	if err != nil {
		return err
	}
	made := *page
	made.Foot = strings.TrimSpace(strings.TrimSuffix(made.Foot, ".") + ". " + s.setup())
	return errors.Join(made.WriteHTML(out), out.Close())
}
