package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// LineError says what is wrong in which line of a trace. Field is empty if the line as a whole is broken.
type LineError struct {
	File  string
	Line  int // from 1
	Field string
	Err   error
}

// Error returns "file:line: field: reason".
func (e *LineError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err)
	}
	return fmt.Sprintf("%s:%d: %s: %v", e.File, e.Line, e.Field, e.Err)
}

// Unwrap returns the reason.
func (e *LineError) Unwrap() error { return e.Err }

// bad counts a bad line under Options.SkipBad, else it returns what is wrong with it.
func (l *loader) bad(err error) error {
	e := l.fault(err)
	if !l.options.SkipBad {
		return e
	}
	if l.trace.Skipped++; l.trace.First == nil {
		l.trace.First = e
	}
	return nil
}

// fault is what is wrong with the line.
func (l *loader) fault(err error) error {
	e := &LineError{File: l.name, Line: l.line, Err: err}
	var f *fieldError
	var typed *json.UnmarshalTypeError
	if errors.As(err, &f) {
		e.Field, e.Err = f.field, f.err
	} else if errors.As(err, &typed) {
		e.Field, e.Err = typed.Field, fmt.Errorf("%s where a %s belongs", typed.Value, kindOf(typed.Type))
	}
	return e
}

// kindOf is what JSON has for a type of ours.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uint32, reflect.Float64:
		return "number"
	case reflect.Slice:
		return "list"
	case reflect.Struct, reflect.Map:
		return "object"
	}
	return t.String()
}

// fieldError is a LineError before its place is known.
type fieldError struct {
	field string
	err   error
}

func (e *fieldError) Error() string { return e.field + ": " + e.err.Error() }

func wrong(field, format string, args ...any) error {
	return &fieldError{field, fmt.Errorf(format, args...)}
}

// MaxTokens bounds a prompt and an answer: 16 Mi tokens, beyond any model's context.
const MaxTokens = 1 << 24

// MaxSeconds bounds times: 30 years, so that nanoseconds do not overflow.
const MaxSeconds = 1e9

func checkTokens(field string, n *int, least int) error {
	switch {
	case n == nil:
		return wrong(field, "missing")
	case *n < least || *n > MaxTokens:
		return wrong(field, "%d is not within %d to %d", *n, least, MaxTokens)
	}
	return nil
}

func checkSeconds(field string, s *float64) error {
	switch {
	case s == nil:
		return wrong(field, "missing")
	case *s > MaxSeconds:
		return wrong(field, "%s is not within 0 to %.0f s from the trace's beginning", strconv.FormatFloat(*s, 'f', -1, 64), MaxSeconds)
	case !(*s >= 0):
		return wrong(field, "%v is not within 0 to %.0f", *s, MaxSeconds)
	}
	return nil
}

func ns(seconds float64) int64 { return int64(seconds * 1e9) }
