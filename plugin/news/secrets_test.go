package news

import (
	"slices"
	"strings"
	"testing"
)

func TestReadSecrets(t *testing.T) {
	const a, b, c = "sixteen characters", "of another secret", "and one of hashes"
	for text, want := range map[string]Secrets{
		a:                               {[]Key{NewKey(a)}, NewKey(a)},
		" " + a + "\n":                  {[]Key{NewKey(" " + a + "\n")}, NewKey(" " + a + "\n")}, // as it always was
		a + "," + b:                     {[]Key{NewKey(a), NewKey(b)}, NewKey(b)},
		a + ",hash=" + b:                {[]Key{NewKey(a)}, NewKey(b)},
		a + "," + b + ",hash=" + c:      {[]Key{NewKey(a), NewKey(b)}, NewKey(c)},
		"hash=" + c + "," + a + "," + b: {[]Key{NewKey(a), NewKey(b)}, NewKey(c)},
	} {
		got, fault := ReadSecrets(text)
		if fault != "" || !slices.Equal(got.Keys, want.Keys) || got.Hashes != want.Hashes {
			t.Errorf("%q: got %v, %q; want %v", text, got, fault, want)
		}
	}
	for text, want := range map[string]string{
		"":                                "fewer than 16",
		"fifteen letters":                 "fewer than 16",
		a + ",short":                      "fewer than 16",
		a + ",":                           "fewer than 16",
		"hash=" + a:                       "no secret but",
		"hash=" + a + ",hash=" + b:        "twice",
		a + ", " + b:                      "space",
		a + "," + b + "\n":                "space",
		strings.Repeat(a+",", 4) + b:      "more than 4",
		a + ",hash=eleven char" + "," + b: "fewer than 16",
	} {
		if _, fault := ReadSecrets(text); !strings.Contains(fault, want) {
			t.Errorf("%q: fault %q, want one of %q", text, fault, want)
		}
	}
}
