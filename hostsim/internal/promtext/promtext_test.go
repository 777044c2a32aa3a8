package promtext

import (
	"strings"
	"testing"
)

func TestReadPage(t *testing.T) {
	page, err := Read([]byte("# HELP a b\na{x=\"1\\\"}\\n\",y=\"2\"} 3 1234\na 4\nb{} 5e-1\n"))
	if err != nil || page.Sum("a", "", "") != 7 || page.Sum("a", "y", "2") != 3 || page.Sum("b", "", "") != 0.5 || page["a"][0].Labels["x"] != "1\"}\n" {
		t.Errorf("%+v, %v", page, err)
	}
	for _, bad := range []string{"a", "a b", "a{x} 1", "a{x=\"1} 1", "{} 1"} {
		if _, err := Read([]byte(bad + "\n")); err == nil || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
