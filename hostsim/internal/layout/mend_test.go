package layout

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestMend(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":[{"b":1},{"b":2},{"b":`:                         `{"a":[{"b":1},{"b":2}]} [5]`,
		`{"a":[1],"c":{"d":[{"b":1},{"b":x},{"b":3}],"e":2}}`: `{"a":[1],"c":{"d":[{"b":1},{"b":3}]}} [5]`,
		"{\n\"a\":[\n{\"b\":1},\n{\"b":                        "{\n\"a\":[{\"b\":1}]} [8]",
		`{"a":"[[[","c":[{"b":"]"},{"b":"\"]`:                 `{"a":"[[[","c":[{"b":"]"}]} [5]`,
		`{"a":[{"b":[{"c":[{"d":1},{"d":`:                     `{"a":[{"b":[{"c":[{"d":1}]}]}]} [5]`,
		`{"a":[{"b":[{"c":[{"d":[{"e":[{"f":1},{"f":`:         " []",
		`{"a":[{"b":`:         " []",
		`{"a":1,"b":`:         " []",
		`{"a":x,"b":[{"c":1}`: " []",
		"":                    " []",
	} {
		mended, broken := Mend([]byte(text), 5)
		if got := fmt.Sprintf("%s %v", mended, broken); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A text of lists within lists takes no longer than another.
func TestMendTakesNoLonger(t *testing.T) {
	began := time.Now()
	Mend([]byte(strings.Repeat(`{"a":[`, 1<<20)), 1)
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("%v", took)
	}
}
