//go:build e2e

package study

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/replaypage"
	"warmroute/hostsim/internal/report"
	"warmroute/hostsim/internal/sweep/sweeptest"
	"warmroute/hostsim/internal/verdict"
)

// browser is what a page did in a headless Chromium.
type browser struct {
	context.Context
	mu         sync.Mutex
	complaints []string // of the console, and exceptions
	requests   []string // beyond the page itself
}

// open shows a page file to Chromium, the one that CHROMIUM names.
func open(t *testing.T, file string) *browser {
	t.Helper()
	program := os.Getenv("CHROMIUM")
	if program == "" {
		t.Fatal("CHROMIUM is not set: ./build.sh test sets it, and installs a headless Chromium where there is none")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WindowSize(1200, 1600))
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	ctx, closeTab := chromedp.NewContext(allocator)
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(func() { cancel(); closeTab(); stop() })
	page := (&url.URL{Scheme: "file", Path: file}).String()
	b := &browser{Context: ctx}
	if err := chromedp.Listen(ctx, func(event any) {
		b.mu.Lock()
		defer b.mu.Unlock()
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; u != page && !strings.HasPrefix(u, "data:") {
				b.requests = append(b.requests, u)
			}
		case *runtime.EventExceptionThrown:
			b.complaints = append(b.complaints, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			b.complaints = append(b.complaints, fmt.Sprintf("console.%s", e.Type))
		}
	}); err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(page)); err != nil {
		t.Fatalf("%s with %s: %v", page, program, err)
	}
	return b
}

// ask evaluates a JavaScript expression.
func ask[T any](t *testing.T, b *browser, expression string) (answer T) {
	t.Helper()
	answer, err := chromedp.Run(b, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return answer
}

// quiet fails where the page complained or asked for anything.
func (b *browser) quiet(t *testing.T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.complaints) > 0 || len(b.requests) > 0 {
		t.Errorf("the page complains %q and requests %q; it should be quiet", b.complaints, b.requests)
	}
}

// seen counts elements that take room on the page.
const seen = `[...document.querySelectorAll(%q)].filter(e => { const r = e.getBoundingClientRect(); return r.width > 3 && r.height > 3 }).length`

// What quiet looks for would be noticed.
func TestBrowserNoticesTrouble(t *testing.T) {
	for name, html := range map[string]string{
		"exception": `<script>throw new Error("no")</script>`,
		"console":   `<script>console.error("no")</script>`,
		"request":   `<img src="http://127.0.0.1:9/picture.png">`,
	} {
		file := filepath.Join(t.TempDir(), name+".html")
		if err := os.WriteFile(file, []byte("<!doctype html><title>x</title>"+html), 0o644); err != nil {
			t.Fatal(err)
		}
		b := open(t, file)
		if n := ask[int](t, b, "1 + 1"); n != 2 {
			t.Fatalf("1 + 1 is %d", n)
		}
		b.mu.Lock()
		if len(b.complaints)+len(b.requests) == 0 {
			t.Errorf("%s: the browser saw nothing", name)
		}
		b.mu.Unlock()
	}
}

func TestReplayPageInABrowser(t *testing.T) {
	tr := sweeptest.Reuse(true)
	o := sweeptest.Options(t, tr)
	bounds, err := verdict.NewBounds(&o)
	if err != nil {
		t.Fatal(err)
	}
	c := &replaypage.Comparison{
		Title: "A replay", Runs: sweeptest.Runs(t, tr, "round_robin", "cache_aware", "prefix_hash"), Bounds: &bounds,
		Meaning: func(name, value, _ string) string { return "a meaning of " + value },
	}
	page, err := c.Page()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "page.html")
	if err := page.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	b := open(t, file)
	for selector, want := range map[string]int{
		".picture > svg:first-child": 2 + len(c.Runs), // the distribution, hits against balance, and a load for each policy
		".bar .axis i":               2*len(c.Runs) + 3,
		".card":                      len(c.Runs),
	} {
		if got := ask[int](t, b, fmt.Sprintf(seen, selector)); got < want {
			t.Errorf("%d of %s can be seen, want %d at least", got, selector, want)
		}
	}
	// Curves, not only axes: each policy's distribution has many corners.
	if got := ask[int](t, b, `Math.max(...[...document.querySelectorAll("figure svg path")].map(p => p.getAttribute("d").length))`); got < 500 {
		t.Errorf("the longest path of a plot has %d characters", got)
	}
	if wide := ask[int](t, b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
		t.Errorf("the page is %d px wider than its window", wide)
	}
	point(t, b)
	pick(t, b, c.Runs)
	b.quiet(t)
	photograph(t, b, "replay")
}

// pick goes through the explorer as a reader would, and holds what it says against the runs.
func pick(t *testing.T, b *browser, runs []*replay.Result) {
	t.Helper()
	slowest, wait := 0, int64(0)
	for _, r := range runs {
		for i, s := range r.Served {
			if s.First-s.Queued > wait {
				slowest, wait = i, s.First-s.Queued
			}
		}
	}
	about := `document.querySelector("#explorer .about").textContent`
	if got := ask[string](t, b, about); !strings.HasPrefix(got, "Request 0 of ") {
		t.Errorf("at first: %s", got)
	}
	ask[chromedp.Void](t, b, `document.querySelector("[data-go=slow]").click()`)
	if got, want := ask[string](t, b, about), fmt.Sprintf("Request %d of ", slowest); !strings.HasPrefix(got, want) {
		t.Errorf("the slowest: %s; want %s", got, want)
	}
	ask[chromedp.Void](t, b, `document.querySelector("[data-go=differ]").click(); document.querySelector("[data-go=first]").click(); document.querySelector("[data-go='1']").click()`)
	ask[chromedp.Void](t, b, `(() => { const n = document.querySelector("#explorer input[type=number]"); n.value = 7; n.dispatchEvent(new Event("change")) })()`)
	s := runs[1].Served[7]
	got := ask[string](t, b, `document.querySelectorAll("#explorer .card")[1].textContent`)
	for _, want := range []string{runs[1].Policy, fmt.Sprintf("To replica %d: ", s.Replica), "a meaning of " + reasonOf(s.Decision), "matched"} {
		if !strings.Contains(got, want) {
			t.Errorf("request 7 of %s: %s; want %q in it", runs[1].Policy, got, want)
		}
	}
}

func reasonOf(decision string) string {
	_, after, _ := strings.Cut(decision, "reason=")
	reason, _, _ := strings.Cut(after, ";")
	return reason
}

// The studies' pages are made of the same parts, and of grids.
func TestStudyPagesInABrowser(t *testing.T) {
	m := loads.Usual
	m.Requests = 200
	points, err := Tradeoff(sweeptest.Of(t, m), []float64{0, 1, 4}, []float64{0.5, 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	surface, err := TradeoffPage(points, "a test")
	if err != nil {
		t.Fatal(err)
	}
	stale, err := Staleness(sweeptest.Of(t, m))
	if err != nil {
		t.Fatal(err)
	}
	ages, err := StalenessPage(stale, "a test")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		page         *report.Page
		plots, cells int
	}{"surface": {surface, 2, 6}, "ages": {ages, 4, 0}} {
		file := filepath.Join(t.TempDir(), name+".html")
		if err := c.page.WriteFile(file); err != nil {
			t.Fatal(err)
		}
		b := open(t, file)
		if got := ask[int](t, b, fmt.Sprintf(seen, ".picture > svg:first-child")); got != c.plots {
			t.Errorf("%s: %d plots can be seen, want %d", name, got, c.plots)
		}
		if got := ask[int](t, b, fmt.Sprintf(seen, "table.grid td:not(:first-child)")); got != c.cells {
			t.Errorf("%s: %d cells can be seen, want %d", name, got, c.cells)
		}
		if got := ask[string](t, b, `document.querySelector(".lead").textContent.replaceAll("\u00a0", " ")`); got != c.page.Lead || got == "" { // a number keeps its unit
			t.Errorf("%s: the lead is %q, want %q", name, got, c.page.Lead)
		}
		b.quiet(t)
		photograph(t, b, name)
	}
}
