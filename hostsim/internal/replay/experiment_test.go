package replay

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
)

// An experiment by windows decides the same in both engines, and in each arm by that arm's policy, in turns.
func TestExperimentByWindows(t *testing.T) {
	loaded, err := ours.Load(context.Background(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(context.Background())
	run := func(engine func([]byte, int) (router.Engine, error)) (r *Result, decisions []string) {
		o := replayOptions(t, "cache_aware")
		o.Plugin = map[string]any{"experiment": map[string]any{"share": .5, "policy": "round_robin", "window": "2s"}}
		o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
			e, err := engine(configuration, workers)
			return recorder{e, &decisions, new(int)}, err
		}
		return result(t, o), decisions
	}
	native, want := run(func(c []byte, workers int) (router.Engine, error) { return ours.NewNative(c, workers) })
	wasm, got := run(func(c []byte, workers int) (router.Engine, error) {
		return ours.StartWasm(context.Background(), loaded, c, workers, nil)
	})
	if !slices.Equal(got, want) || !reflect.DeepEqual(native, wasm) {
		t.Error("the engines decide differently")
	}
	arms, changes, last := map[string]int{}, 0, ""
	for _, d := range got {
		policy, rest, _ := strings.Cut(strings.TrimPrefix(d, "policy="), ";")
		if policy != last {
			last = policy
			changes++
		}
		switch {
		case strings.Contains(rest, ";arm=live"):
			arms["live "+policy]++
		case strings.Contains(rest, ";arm=experiment"):
			arms["experiment "+policy]++
		default:
			arms["none"]++
		}
	}
	t.Logf("%v, %d turns in %.0f s", arms, changes, native.DurationS)
	if len(arms) != 3 || arms["live cache_aware"] == 0 || arms["experiment round_robin"] == 0 || arms["none"] > len(got)/3 || changes > int(native.DurationS/2)+2 {
		t.Errorf("%v, %d turns in %.0f s", arms, changes, native.DurationS)
	}
}
