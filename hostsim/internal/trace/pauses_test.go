package trace

import (
	"strings"
	"testing"
	"time"
)

// A pause in which nothing comes is cut, for a session that goes on after it too; one session's pause while others go on is not.
func TestCutPauses(t *testing.T) {
	line := func(t, session, think string) string {
		return `{"t":` + t + `,"session":"` + session + `","think":` + think + `,"body":{"model":"m","prompt":"x"},"output_tokens":1}` + "\n"
	}
	tr, err := Read(strings.NewReader(line("5", "a", "0")+line("400", "b", "0")+line("800", "a", "790")+line("90800", "b", "90390")+line("90801", "a", "90000")), "a", Options{})
	if err != nil {
		t.Fatal(err)
	}
	n, by := tr.CutPauses(10 * time.Minute)
	if n != 1 || by != 89400*time.Second {
		t.Errorf("%d pauses, %v; want 1, 89400 s", n, by)
	}
	for i, want := range [][2]float64{{5, 0}, {400, 0}, {800, 790}, {1400, 990}, {1401, 600}} {
		if r := tr.Requests[i]; r.At != ns(want[0]) || r.Think != ns(want[1]) {
			t.Errorf("request %d: at %d, think %d ns; want %v s", i, r.At, r.Think, want)
		}
	}
}
