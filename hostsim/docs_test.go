package main

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"warmroute/plugin/why"
)

var (
	docLink  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	docTest  = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w+`)
	docFunc  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)[A-Z]\w+)\(`)
	docPage  = regexp.MustCompile(`\bdocs/[a-z-]+\.md\b`)
	docFile  = regexp.MustCompile(`\b(?:plugin|hostsim|examples|istio|testdata)/[\w./-]+\.(?:go|sh|py|json|yaml)\b`)
	docTitle = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	docCode  = regexp.MustCompile("(?ms)^```.*?^```")
)

// What the documents and the comments name is there: pages, their sections, files, and tests. And each page is linked from another one.
func TestDocuments(t *testing.T) {
	pages, sources := texts(t)
	tests := map[string]bool{}
	for _, source := range sources {
		for _, f := range docFunc.FindAllStringSubmatch(source, -1) {
			tests[f[1]] = true
		}
	}
	sections := map[string][]string{}
	for name, page := range pages {
		for _, title := range docTitle.FindAllStringSubmatch(docCode.ReplaceAllString(page, ""), -1) {
			sections[name] = append(sections[name], slug(title[1]))
		}
	}
	linked := map[string]bool{"README.md": true}
	for name, page := range pages {
		for _, link := range docLink.FindAllStringSubmatch(page, -1) {
			to, err := linkedPage(name, link[1])
			if err != nil {
				t.Errorf("%s: the link %s: %v", name, link[1], err)
				continue
			}
			linked[to] = linked[to] || to != name
			if _, section, has := strings.Cut(link[1], "#"); has && to != "" && !slices.Contains(sections[to], section) {
				t.Errorf("%s: %s has no section of the link %s", name, to, link[1])
			}
		}
	}
	for name, text := range pages {
		if !linked[name] {
			t.Errorf("no page links %s", name)
		}
		named(t, name, text, tests)
		for _, file := range docFile.FindAllString(docLink.ReplaceAllString(text, "]"), -1) {
			if _, err := os.Stat(filepath.Join("..", file)); err != nil {
				t.Errorf("%s: there is no %s", name, file)
			}
		}
	}
	for name, text := range sources {
		named(t, name, text, tests)
		for _, page := range docPage.FindAllString(text, -1) {
			if _, is := pages[page]; !is {
				t.Errorf("%s: there is no %s", name, page)
			}
		}
	}
}

// Whoever sees a code in the metrics or in the access log finds it in the page that explains them.
func TestTroubleshootingHasEachCode(t *testing.T) {
	page, err := os.ReadFile("../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, code := range slices.Concat(why.Passed, why.ByLoad) {
		if !regexp.MustCompile("[`=]" + string(code) + "[`,]").Match(page) {
			t.Errorf("docs/troubleshooting.md does not have %s", code)
		}
	}
}

// named checks the names of tests in a text.
func named(t *testing.T, name, text string, tests map[string]bool) {
	t.Helper()
	for _, test := range docTest.FindAllString(text, -1) {
		if !tests[test] {
			t.Errorf("%s: there is no %s", name, test)
		}
	}
}

// texts are the repository's pages and Go files, by their paths from its root.
func texts(t *testing.T) (pages, sources map[string]string) {
	t.Helper()
	root := os.DirFS("..")
	pages, sources = map[string]string{}, map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name == "build" || name == "shared" || name != "." && strings.HasPrefix(entry.Name(), ".") {
				return fs.SkipDir
			}
			return nil
		}
		into := map[string]map[string]string{".md": pages, ".go": sources}[path.Ext(name)]
		if into == nil {
			return nil
		}
		text, err := fs.ReadFile(root, name)
		into[name] = string(text)
		return err
	})
	if err != nil || len(pages) < 20 || len(sources) < 100 {
		t.Fatalf("%d pages and %d Go files: %v", len(pages), len(sources), err)
	}
	return pages, sources
}

// linkedPage is the page that a link in a page leads to, a folder's being its README.md; "" for what is no page, or elsewhere.
func linkedPage(from, link string) (string, error) {
	if strings.Contains(link, "://") {
		return "", nil
	}
	to := from
	if target, _, _ := strings.Cut(link, "#"); target != "" {
		to = path.Join(path.Dir(from), target)
	}
	info, err := os.Stat(filepath.Join("..", to))
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		to = path.Join(to, "README.md")
		if _, err := os.Stat(filepath.Join("..", to)); err != nil {
			return "", nil // a folder without a page
		}
	}
	if path.Ext(to) != ".md" {
		return "", nil
	}
	return to, nil
}

// slug is the name of a section in links, as GitHub makes it of the title.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(docLink.ReplaceAllString(title, "]")))
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"What happens when …":            "what-happens-when-",
		"Why stable homes help 2 × L4":   "why-stable-homes-help-2--l4",
		"How `cache_aware` weighs":       "how-cache_aware-weighs",
		"A [linked](page.md#to) word":    "a-linked-word",
		"[Unreleased]":                   "unreleased",
		"Without any text: `record`":     "without-any-text-record",
		"hostsim/: the simulator":        "hostsim-the-simulator",
		"A live experiment, or a canary": "a-live-experiment-or-a-canary",
	} {
		if got := slug(title); got != want {
			t.Errorf("slug(%q) = %q, want %q", title, got, want)
		}
	}
}
