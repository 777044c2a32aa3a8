package advice

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/loads"
	"warmroute/hostsim/internal/sweep/sweeptest"
)

// The arrangements that are whole when advice is interrupted are judged, and can be shown.
func TestInterruptedAdvice(t *testing.T) {
	m := loads.Usual
	m.Requests = 100
	const judged = 2
	first := 4 + len(contender.LoadOnly) // replays before arrangements are judged, and those of two of these
	advice, err := Give(sweeptest.Interrupted(t, m, first+2*judged+2), 9, 0, nil)
	if !errors.Is(err, context.Canceled) || advice == nil || advice.Seeds < judged || advice.Seeds == 9 || advice.Fleet.Most != 0 {
		t.Fatalf("advise: %+v, %v; want the arrangements that are whole", advice, err)
	}
	page, err := advice.Page("a test")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := page.WriteHTML(&b); err != nil || page.Lead == "" {
		t.Errorf("lead %q, %v", page.Lead, err)
	}
	if advice, err := Give(sweeptest.Interrupted(t, m, 2), 9, 0, nil); !errors.Is(err, context.Canceled) || advice != nil {
		t.Errorf("advise, interrupted at once: %v, %v", advice, err)
	}
}
