package compare

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A target whose requests have all failed has no times, and so not the least; where all have failed the page says that.
func TestTargetsThatFail(t *testing.T) {
	o := options(t)
	o.Rounds = 1
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	t.Cleanup(down.Close)
	works := o.Targets[0]
	for _, c := range []struct {
		targets   []Target
		want, not string
	}{
		{[]Target{works, {Name: "down", URL: down.URL}}, "in turn has the least mean TTFT, 1.00×", "down has"},
		{[]Target{{Name: "down", URL: down.URL}, works}, "in turn has the least mean TTFT.", "×"},
		{[]Target{{Name: "down", URL: down.URL}}, "shared-system: all requests failed.", "least"},
	} {
		o.Targets = c.targets
		r, err := Run(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		page, err := r.Page()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(page.Lead, c.want) || strings.Contains(page.Lead, c.not) {
			t.Errorf("%v: %q; want %q and not %q", c.targets, page.Lead, c.want, c.not)
		}
	}
}

// One target alone has its tables, too.
func TestOneTarget(t *testing.T) {
	o := options(t)
	o.Rounds, o.Targets = 1, o.Targets[:1]
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if page, err := r.Page(); err != nil || len(page.Sections) != 2 {
		t.Errorf("%v, %+v; want the sections of clients and servers", err, page)
	}
}
