package pool

import (
	"testing"

	"warmroute/plugin/prompt"
)

// Requests for several models in turn allocate nothing either.
func TestModelsInTurnAllocateNothing(t *testing.T) {
	var n names
	of := [...]prompt.Prompt{{Model: []byte("meta-llama/Llama-3.1-8B-Instruct")}, {Model: []byte("meta-llama/Llama-3.1-70B-Instruct")}}
	if got := testing.AllocsPerRun(100, func() {
		for i := range of {
			n.seed(&of[i], nil)
			n.key(&of[i])
		}
	}); got > 0 {
		t.Errorf("%v allocations for two requests", got)
	}
	first, second := n.key(&of[0]), n.key(&of[1])
	if n.seed(&of[0], nil) == n.seed(&of[1], nil) || first == second || n.key(&of[0]) != first {
		t.Error("models are confused")
	}
}
