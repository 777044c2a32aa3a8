package doctor

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A switch that was left off is named; a value of none, and an Envoy without such values, is not.
func TestSwitched(t *testing.T) {
	for value, want := range map[string]bool{"100": true, "5": true, "0": false, "": false} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != "/runtime" {
				http.NotFound(w, r)
				return
			}
			fmt.Fprintf(w, `{"layers":["admin"],"entries":{"warmroute.off":{"final_value":%q,"layer_values":[%[1]q]}}}`, value)
		}))
		got := switched(t.Context(), Options{Admin: s.URL, Timeout: 5 * time.Second})
		if s.Close(); (len(got) == 1) != want || want && (!strings.Contains(got[0].What, "warmroute.off is "+value) || !strings.Contains(got[0].Cure, "runtime_modify")) {
			t.Errorf("%q: %+v", value, got)
		}
	}
	if got := switched(t.Context(), Options{Admin: "http://127.0.0.1:1", Timeout: time.Second}); got != nil {
		t.Errorf("without an answer: %+v", got)
	}
}
