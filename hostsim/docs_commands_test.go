package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"warmroute/hostsim/internal/workload"
)

var (
	// command is hostsim with what follows it, in a code block or between backticks.
	command = regexp.MustCompile("(?:^|[\\s`\"|])(?:build/)?hostsim ([a-z][^`]*)")
	// ends is where a command's own words end in a line of a shell.
	ends = regexp.MustCompile(`\s(?:#|\\?\||…|&|;|>|2>|<|&&|\))|\)$|;$`)
	// placeholder is an error of what a reader puts in.
	placeholder = regexp.MustCompile(`(?:got|value) "[A-Z]+"`)
	word        = regexp.MustCompile(`(?:'[^']*'|"[^"]*"|[^\s'"])+`)
)

// Every command of hostsim that a page shows is one, with flags that it has and values that they take. Files need not be there.
func TestDocumentedCommands(t *testing.T) {
	var cmd commands
	parser, err := kong.New(&cmd, kong.Name("hostsim"),
		kong.Vars{"replicas": "1", "workloads": strings.Join(workload.Names(), ","), "profiles": "", "peers": ""}, kong.Exit(func(int) {}), kong.Writers(&strings.Builder{}, &strings.Builder{}))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, leaf := range parser.Model.Leaves(true) {
		names[strings.Fields(leaf.Path())[0]] = true
	}
	found := 0
	pages, _ := texts(t)
	for page, text := range pages {
		for _, line := range strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n") {
			block := strings.HasPrefix(line, "    ")
			for _, m := range command.FindAllStringSubmatch(line, -1) {
				args := shellWords(m[1])
				if !names[args[0]] && !block || strings.Contains(m[1], ", native engine") { // a sentence
					continue
				}
				found++
				_, err := parser.Parse(args)
				if err == nil {
					continue
				}
				if said := err.Error(); !isIncomplete(said) {
					t.Errorf("%s: hostsim %s: %s", page, strings.Join(args, " "), said)
				}
			}
		}
	}
	if found < 80 {
		t.Errorf("%d commands found", found)
	}
}

// shellWords are a command's words, without what the shell does with it.
func shellWords(line string) []string {
	if at := ends.FindStringIndex(line); at != nil {
		line = line[:at[0]]
	}
	var out []string
	for _, w := range word.FindAllString(line, -1) {
		out = append(out, strings.NewReplacer(`'`, "", `"`, "").Replace(w))
	}
	return out
}

// isIncomplete says whether an error is of a command that is not shown in full, or of a file that is not here.
func isIncomplete(err string) bool {
	if placeholder.MatchString(err) {
		return true
	}
	for _, part := range []string{"no such file", "missing flags", "missing positional", "missing value", "expected \"<", "expected one of", "is a directory", "expected string value"} {
		if strings.Contains(err, part) {
			return true
		}
	}
	return false
}
