//go:build e2e

package study

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// point asks a plot for its values and its legend for a series.
func point(t *testing.T, b *browser) {
	t.Helper()
	const over = `(name => { const f = document.querySelector("figure"), m = JSON.parse(f.querySelector("script.marks").textContent);
		const p = m.series.find(s => s.name === name).points.at(-1), box = f.querySelector(".picture").getBoundingClientRect();
		f.querySelector(".picture").dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + p[0] * box.width, clientY: box.top + p[1] * box.height}));
		const tip = f.querySelector(".tip"); return tip.hidden ? "" : tip.textContent })("cache_aware")`
	if got := ask[string](t, b, over); !strings.Contains(got, "\ntime to first token, ms: ") || !strings.HasSuffix(got, "share of requests: 1") {
		t.Errorf("under the pointer is %q", got)
	}
	const every = `[...document.querySelectorAll("figure")].filter(f => { const m = JSON.parse(f.querySelector("script.marks").textContent), p = m.series[0].points[0],
		box = f.querySelector(".picture").getBoundingClientRect();
		f.querySelector(".picture").dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + p[0] * box.width, clientY: box.top + p[1] * box.height}));
		const silent = f.querySelector(".tip").hidden; f.querySelector(".picture").dispatchEvent(new PointerEvent("pointerleave")); return silent }).length`
	if got := ask[int](t, b, every); got != 0 {
		t.Errorf("%d plots say nothing of their first point", got)
	}
	const key = `document.querySelector('figure .key[data-series="prefix_hash"]')`
	if dir := os.Getenv("SCREENSHOTS"); dir != "" {
		shot, err := chromedp.Run(b, chromedp.CaptureScreenshot())
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, "pointer.png"), shot, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ask[chromedp.Void](t, b, `document.querySelector("figure .picture").dispatchEvent(new PointerEvent("pointerleave")); `+key+`.click()`)
	if got := ask[string](t, b, key+`.getAttribute("aria-pressed") + " " + document.querySelectorAll("figure .key.off").length + " " + document.querySelectorAll("figure .over path").length`); got != "true 2 1" {
		t.Errorf("a key that was clicked: %q, want it pressed, two others off, and its line alone", got)
	}
	ask[chromedp.Void](t, b, key+`.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}))`)
	if got := ask[int](t, b, `document.querySelectorAll(".key.off, .over path").length`); got != 0 {
		t.Errorf("after Enter, %d keys and lines are still picked out", got)
	}
}

// photograph shows the page as readers may: light, dark, 400 pixels wide, and printed by somebody who reads in the dark. It fails where the
// paper is dark and should not be or the other way round, and where the page is wider than its window. The pictures go to the folder SCREENSHOTS, if it is set.
func photograph(t *testing.T, b *browser, name string) {
	t.Helper()
	for _, look := range []struct {
		name, media, scheme string
		width               int64
		dark                bool
	}{{"light", "screen", "light", 1000, false}, {"dark", "screen", "dark", 1000, true}, {"narrow", "screen", "light", 400, false}, {"print", "print", "dark", 1000, false}} {
		media := emulation.SetEmulatedMediaParams{Media: look.media, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: look.scheme}}}
		size := emulation.SetDeviceMetricsOverrideParams{Width: look.width, Height: 1400, DeviceScaleFactor: 1}
		if _, err := chromedp.Call(b, emulation.SetEmulatedMedia, media); err != nil {
			t.Fatal(err)
		}
		if _, err := chromedp.Call(b, emulation.SetDeviceMetricsOverride, size); err != nil {
			t.Fatal(err)
		}
		if wide := ask[int](t, b, `document.documentElement.scrollWidth - document.documentElement.clientWidth`); wide > 0 {
			t.Errorf("%s, %s: the page is %d px wider than its window", name, look.name, wide)
		}
		shot, err := chromedp.Run(b, chromedp.FullScreenshot(100))
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(shot))
		if err != nil {
			t.Fatal(err)
		}
		r, g, blue, _ := picture.At(2, 2).RGBA()
		if dark := r+g+blue < 3*0x8000; dark != look.dark || int64(picture.Bounds().Dx()) != look.width {
			t.Errorf("%s, %s: dark %v, %d px wide", name, look.name, dark, picture.Bounds().Dx())
		}
		if dir := os.Getenv("SCREENSHOTS"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+"-"+look.name+".png"), shot, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}
