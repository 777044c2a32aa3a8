package traffic

import (
	"math"
	"testing"
)

func TestModelsAreToldApartAndBounded(t *testing.T) {
	var models Tokens
	for m := range 40 {
		models.Learn(uint64(m+100), 2000*(m+1), 2000, false)
	}
	if got := models.PerToken(139); got != 40 {
		t.Errorf("the last model: %v bytes a token, want 40", got)
	}
	if got := models.PerToken(100); got != UsualBytes {
		t.Errorf("a forgotten model: %v bytes a token, want %v", got, UsualBytes)
	}
}

// After four billion responses the number of the last one begins anew: the models seen before do not keep later ones out.
func TestModelsAfterManyResponses(t *testing.T) {
	models := Tokens{turn: math.MaxUint32 - 20}
	for m := range 40 {
		models.Learn(uint64(m+100), 2000*(m+1), 2000, false)
	}
	for m := 40 - maxModels; m < 40; m++ {
		if got, want := models.PerToken(uint64(m+100)), float64(m+1); got != want {
			t.Errorf("model %d: %v bytes a token, want %v", m, got, want)
		}
	}
}
