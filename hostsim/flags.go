package main

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// checkFlags refuses what no command can use: a number or a time below 0 or below the flag's tag least, NaN, an infinite number,
// and an empty list where there is one by default. The error names the flag.
func checkFlags(parsed *kong.Context) error {
	if err := oneTrace(parsed); err != nil {
		return err
	}
	for _, f := range parsed.Flags() {
		least := 0.0
		if text := f.Tag.Get("least"); text != "" {
			least, _ = strconv.ParseFloat(text, 64) // TestFlags
		}
		if err := checkFlag(f.Target, least, f.HasDefault); err != nil {
			return fmt.Errorf("--%s: %w", f.Name, err)
		}
	}
	return nil
}

// oneTrace refuses a second --trace: of a flag's values the last alone would be read.
func oneTrace(parsed *kong.Context) error {
	given := 0
	for _, at := range parsed.Path {
		if at.Flag != nil && at.Flag.Name == "trace" {
			given++
		}
	}
	switch command := parsed.Command(); {
	case given < 2:
		return nil
	case command == "compare": // it writes there
		return errors.New("--trace is given twice")
	default:
		return fmt.Errorf("--trace is given twice; to read several: hostsim import A B | hostsim %s --trace -", command)
	}
}

func checkFlag(v reflect.Value, least float64, listed bool) error {
	if d, ok := v.Interface().(time.Duration); ok {
		if d < 0 {
			return fmt.Errorf("%v is below 0", d)
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Slice:
		if listed && v.Len() == 0 {
			return errors.New("at least one is needed")
		}
		for i := range v.Len() {
			if err := checkFlag(v.Index(i), least, false); err != nil {
				return err
			}
		}
	case reflect.Int, reflect.Int64:
		if n := v.Int(); float64(n) < least {
			return fmt.Errorf("%d is below %g", n, least)
		}
	case reflect.Float64:
		switch n := v.Float(); {
		case math.IsNaN(n) || math.IsInf(n, 0):
			return fmt.Errorf("%v is no number to reckon with", n)
		case n < least:
			return fmt.Errorf("%v is below %g", n, least)
		}
	}
	return nil
}

// valueHelp adds to a flag's help what it is by default.
func valueHelp(v *kong.Value) string {
	text := kong.DefaultHelpValueFormatter(v)
	if !v.HasDefault || v.Default == "" || v.Default == "0" || v.Default == "0s" || v.IsBool() {
		return text
	}
	return strings.TrimSuffix(text, ".") + " (default: " + strings.ReplaceAll(v.Default, ",", ", ") + ")."
}
