package bytestr

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cespare/xxhash/v2"
)

func TestComparisons(t *testing.T) {
	for _, b := range []string{"", "a", "ab", "ba", "abab", "b"} {
		for _, s := range []string{"", "a", "ab", "b", "bab", "ababa"} {
			if got, want := Equal([]byte(b), s), b == s; got != want {
				t.Errorf("Equal(%q, %q) = %v, want %v", b, s, got, want)
			}
			if got, want := HasPrefix([]byte(b), s), strings.HasPrefix(b, s); got != want {
				t.Errorf("HasPrefix(%q, %q) = %v, want %v", b, s, got, want)
			}
			if got, want := HasSuffix([]byte(b), s), strings.HasSuffix(b, s); got != want {
				t.Errorf("HasSuffix(%q, %q) = %v, want %v", b, s, got, want)
			}
		}
	}
}

func TestAppendHex(t *testing.T) {
	for _, v := range []uint64{0, 1, 0xabc, 0x123456789abcdef0, 1<<64 - 1} {
		if got, want := string(AppendHex([]byte("x"), v, 16)), fmt.Sprintf("x%016x", v); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, want := string(AppendHex(nil, v, 3)), fmt.Sprintf("%03x", v&0xfff); got != want {
			t.Errorf("3 digits: got %s, want %s", got, want)
		}
	}
}

func TestHash(t *testing.T) {
	for _, s := range []string{"", "a", strings.Repeat("0123456789", 10)} {
		if got, want := Hash(0, []byte(s)), xxhash.Sum64String(s); got != want {
			t.Errorf("%q: got %x, want %x", s, got, want)
		}
	}
	if Hash(Hash(0, []byte("ab")), []byte("c")) == Hash(Hash(0, []byte("a")), []byte("bc")) {
		t.Error("the parts of a list are not told apart")
	}
}
