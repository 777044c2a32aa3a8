package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/alecthomas/kong"
)

// hasLeast says whether checkFlags heeds the tag least of such a flag.
func hasLeast(v reflect.Value) bool {
	of := v.Type()
	if of.Kind() == reflect.Slice {
		of = of.Elem()
	}
	return of != reflect.TypeFor[time.Duration]() && slices.Contains([]reflect.Kind{reflect.Int, reflect.Int64, reflect.Float64}, of.Kind())
}

// A table that cannot be written is an error: a script that keeps it must not take what there is for all.
func TestFullDisk(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"profile"}, {"check", "../testdata/config/replay.json"}} {
		var errs bytes.Buffer
		if got := run(args, nil, full{}, &errs); got != 1 || !strings.Contains(errs.String(), "no space") {
			t.Errorf("%v: status %d, want 1; stderr %q", args, got, errs.String())
		}
	}
}

// The words of other programs for what is meant work here too.
func TestUsualWords(t *testing.T) {
	for args, want := range map[string]string{
		"help": "Usage: hostsim <command>", "help advise": "Usage: hostsim advise [flags]", "help study league": "Usage: hostsim study league", "--version": "hostsim ",
	} {
		var out, errs bytes.Buffer
		if got := run(strings.Fields(args), nil, &out, &errs); got != 0 || !strings.HasPrefix(out.String(), want) || errs.Len() > 0 {
			t.Errorf("%s: status %d, %q, stderr %q", args, got, out.String(), errs.String())
		}
	}
	if got := run([]string{"help", "nothing"}, nil, &bytes.Buffer{}, &bytes.Buffer{}); got != 2 {
		t.Errorf("help for what is not there: status %d", got)
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// Numbers that no command can use are refused before anything is done, with the flag's name.
func TestFlags(t *testing.T) {
	var cmd commands
	parser, err := kong.New(&cmd, kong.Vars{"replicas": "1", "workloads": "", "profiles": "", "peers": ""})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, leaf := range parser.Model.Leaves(true) {
		path := strings.Fields(leaf.Path())
		for _, f := range leaf.Flags {
			if text := f.Tag.Get("least"); text != "" {
				if _, err := strconv.ParseFloat(text, 64); err != nil {
					t.Errorf("%s --%s: least: %v", path, f.Name, err)
				}
				if !hasLeast(f.Target) {
					t.Errorf("%s --%s: checkFlags knows no least of a %v", path, f.Name, f.Target.Type())
				}
			}
			for _, value := range badValues(f) {
				args := append(path[:len(path):len(path)], "--"+f.Name+"="+value)
				for _, other := range leaf.Flags { // what the command needs is there
					if (other.Required || other.Tag.Type != "") && other != f && !other.IsBool() {
						args = append(args, "--"+other.Name+"="+map[bool]string{true: "1", false: file}[other.Target.Kind() == reflect.Int])
					}
				}
				for _, p := range leaf.Positional {
					if p.Required {
						args = append(args, file)
					}
				}
				parsed, err := parser.Parse(args)
				if err == nil {
					err = checkFlags(parsed)
				}
				if err == nil || !strings.Contains(err.Error(), "--"+f.Name) {
					t.Errorf("%v: %v", args, err)
				}
				tried++
			}
		}
	}
	if tried < 300 {
		t.Errorf("%d values tried", tried)
	}
	var errs bytes.Buffer
	if code := run([]string{"study", "league", "--seeds=0"}, nil, &errs, &errs); code != 2 || errs.String() != "hostsim: --seeds: 0 is below 1\n" {
		t.Errorf("exit status %d, %q", code, errs.String())
	}
}

// badValues are wrong for every command.
func badValues(f *kong.Flag) []string {
	var bad []string
	switch of := f.Target.Type(); {
	case of == reflect.TypeFor[time.Duration]():
		bad = []string{"-1s", "soon"}
	case of.Kind() == reflect.Int || of == reflect.TypeFor[[]int]():
		bad = []string{"-1", "1.5", "x", "99999999999999999999"}
	case of.Kind() == reflect.Float64 || of == reflect.TypeFor[[]float64]():
		bad = []string{"-1", "NaN", "Inf", "1e400", "x"}
	}
	if f.HasDefault && f.Target.Kind() == reflect.Slice {
		bad = append(bad, "")
	}
	return bad
}

// Every command that reads a file says which one is wrong; none panics, and none goes on.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	trace := write("good.jsonl", strings.Repeat(`{"t":1,"body":{"model":"m","prompt":"hello"},"output_tokens":5}`+"\n", 3))
	folder := filepath.Join(dir, "folder.json")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	bad := map[string]string{ // the file, and what the error has beside its name
		filepath.Join(dir, "missing.json"): "no such file",
		folder:                             "",
		write("empty.json", ""):            "",
		write("binary.json", "\x00\x8f\xc3\x28\x7f\xe5"):                                             "",
		write("broken.json", "{\"a\":1,\n\"b\xff\": }"):                                              "",
		write("nan.json", "{\"t\": 1,\n \"body\": NaN}"):                                             "",
		write("negative.json", `{"t":-1,"body":{"model":"m","prompt":"x"},"output_tokens":-5}`+"\n"): "",
	}
	for _, command := range []string{
		"advise --trace FILE", "replay --engine native --trace FILE", "import FILE", "assign --replicas 2 --capacity 2 FILE", "check FILE", "profile FILE",
		"request --engine native --config FILE --body " + trace, "image --wasm FILE --out " + dir + "/image", "version --wasm FILE",
		"replay --engine native --policies random --profile FILE --trace " + trace, "replay --engine native --policies random --plugin FILE --trace " + trace,
		"replay --engine wasm --policies random --wasm FILE --trace " + trace, "calibrate log FILE --profile h100-8b",
		"calibrate pages --profile h100-8b --seconds 10 --before FILE --after FILE", "study staleness --trace FILE", "study tradeoff --profile FILE",
		"study league --case strangers --known FILE", "study league --case strangers --plugin FILE", "study experiment --profile FILE", "replicas --profile FILE",
	} {
		for file, part := range bad {
			name := strings.TrimSuffix(filepath.Base(file), ".json")
			isFile := part == "" && name != "folder"
			switch word := strings.Fields(command)[0]; {
			case word == "version" && isFile, // any file has a sum
				word == "import" && name == "negative",                      // a log's time of -1 is none
				strings.Contains(command, "--plugin") && name == "negative": // JSON, which the module refuses by the field's name
				continue
			}
			var out, errs bytes.Buffer
			code := run(strings.Fields(strings.ReplaceAll(command, "FILE", file)), strings.NewReader(""), &out, &errs)
			said := out.String() + errs.String()
			if code != 1 || !strings.Contains(said, name) || !strings.Contains(said, part) {
				t.Errorf("%s of %s: exit status %d, %q", command, name, code, said)
			}
		}
	}
	var errs bytes.Buffer
	if run([]string{"assign", "--replicas=1", "--capacity=1", filepath.Join(dir, "nan.json")}, nil, &errs, &errs); !strings.Contains(errs.String(), "nan.json:2: ") {
		t.Errorf("the line is missing: %q", errs.String())
	}
}

// A file without its flag is told where it belongs.
func TestMeantTrace(t *testing.T) {
	for args, want := range map[string]string{
		"advise ../testdata/logs/bodies.jsonl":         "did you mean --trace ../testdata/logs/bodies.jsonl?",
		"study tradeoff ../testdata/logs/bodies.jsonl": "did you mean --trace",
		"advise no-such-file":                          "unexpected argument no-such-file\n",
		"version ../testdata/logs/bodies.jsonl":        "bodies.jsonl\n",
		"../testdata/logs/bodies.jsonl":                "bodies.jsonl\n",
	} {
		if status, _, errs := hostsim("", strings.Fields(args)...); status != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %s", args, status, errs)
		}
	}
}

// Of two traces the first would be left out without a word; what is said instead to do works.
func TestTraceIsGivenOnce(t *testing.T) {
	const several = "--trace is given twice; to read several: hostsim import A B | hostsim "
	for _, command := range []string{"advise", "replay", "study tradeoff", "study staleness", "bench --url http://127.0.0.1:1"} {
		name, _, _ := strings.Cut(command, " --")
		args := append(strings.Fields(command), "--trace", smallTrace, "--trace="+smallTrace)
		if status, _, errs := hostsim("", args...); status != 2 || !strings.Contains(errs, several+name+" --trace -\n") {
			t.Errorf("%s: status %d, %q", command, status, errs)
		}
	}
	if status, _, errs := hostsim("", "compare", "--replicas", "127.0.0.1:1", "--trace", "a", "--trace", "b"); status != 2 || !strings.Contains(errs, "--trace is given twice") {
		t.Errorf("compare: status %d, %q", status, errs)
	}
	var files []string
	for i, words := range []string{"the first log", "the second one"} {
		files = append(files, filepath.Join(t.TempDir(), "log.jsonl"))
		line := fmt.Sprintf(`{"t":%d,"path":"/v1/completions","body":{"model":"m","prompt":"%s"},"output_tokens":5}`+"\n", i, words)
		if err := os.WriteFile(files[i], []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	status, joined, errs := hostsim("", append([]string{"import"}, files...)...)
	if status != 0 {
		t.Fatal(errs)
	}
	status, out, errs := hostsim(joined, "advise", "--trace", "-", "--replicas", "2", "--seeds", "2")
	if status != 0 || !strings.Contains(out, "Too few requests to tell: 2.") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
}
