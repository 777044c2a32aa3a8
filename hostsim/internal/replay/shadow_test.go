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

// recorder notes what an engine decides, without what the shadow has to say.
type recorder struct {
	router.Engine
	live   *[]string
	shadow *int // decisions of the shadow
}

func (r recorder) Begin(worker int, request *router.Request) (router.Ticket, error) {
	t, err := r.Engine.Begin(worker, request)
	if err == nil {
		live, shadow, shadowed := strings.Cut(t.Decision(), ";shadow=")
		*r.live = append(*r.live, live)
		if shadowed && strings.Contains(shadow, ";shadow_endpoint=10.") {
			*r.shadow++
		}
	}
	return t, err
}

// recorded runs a replay and returns its result, what was decided, and how many times the shadow decided.
func recorded(t *testing.T, policy, shadow string, engine func([]byte, int) (router.Engine, error)) (r *Result, live []string, shadowed int) {
	t.Helper()
	o := replayOptions(t, policy)
	if shadow != "" {
		o.Plugin = map[string]any{"shadow": shadow}
	}
	o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
		e, err := engine(configuration, workers)
		return recorder{e, &live, &shadowed}, err
	}
	return result(t, o), live, shadowed
}

// Whatever the shadow's policy, each live decision of a replay is what it is without one, to the last term.
func TestShadowChangesNothing(t *testing.T) {
	loaded, err := ours.Load(context.Background(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(context.Background())
	engines := map[string]func([]byte, int) (router.Engine, error){
		"native": func(c []byte, workers int) (router.Engine, error) { return ours.NewNative(c, workers) },
		"wasm": func(c []byte, workers int) (router.Engine, error) {
			return ours.StartWasm(context.Background(), loaded, c, workers, nil)
		},
	}
	for name, engine := range engines {
		for i, policy := range policies {
			shadow := policies[(i+3)%len(policies)]
			want, decisions, none := recorded(t, policy, "", engine)
			got, same, shadowed := recorded(t, policy, shadow, engine)
			if none != 0 || shadowed != len(same) || len(same) != 300 {
				t.Errorf("%s, %s: the shadow decided %d of %d requests, and %d where there is none", name, policy, shadowed, len(same), none)
			}
			if !slices.Equal(decisions, same) || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s beside %s: live decisions differ", name, policy, shadow)
			}
		}
	}
}
