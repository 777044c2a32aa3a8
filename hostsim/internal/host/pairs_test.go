package host

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSerialize(t *testing.T) {
	hs := Headers{{"a", "1"}, {"b", "22"}} // the example of the specification
	want := []byte("\x02\x00\x00\x00" + "\x01\x00\x00\x00\x01\x00\x00\x00" + "\x01\x00\x00\x00\x02\x00\x00\x00" + "a\x001\x00b\x0022\x00")
	got := make([]byte, hs.serializedSize())
	hs.serialize(got)
	if !bytes.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Headers(nil).serializedSize(); got != 0 {
		t.Errorf("an empty map has %d bytes", got)
	}
}

func TestParseMalformed(t *testing.T) {
	good := "\x01\x00\x00\x00\x01\x00\x00\x00\x01\x00\x00\x00A\x001\x00"
	if diff := cmp.Diff(Headers{{"a", "1"}}, parseHeaders([]byte(good))); diff != "" {
		t.Errorf("good (-want +got):\n%s", diff)
	}
	for _, bad := range []string{"", "\x00", "\x00\x00\x00\x00", good[:len(good)-1], good + "x", "\xff\xff\xff\xff" + good[4:],
		"\x01\x00\x00\x00\xff\xff\xff\xff" + good[8:], "\x02" + good[1:], good[:13] + "x1\x00"} {
		if got := parseHeaders([]byte(bad)); len(got) != 0 {
			t.Errorf("%q gave %v", bad, got)
		}
	}
}

func FuzzParseHeaders(f *testing.F) {
	for _, hs := range []Headers{nil, {{"a", "1"}}, {{":path", "/"}, {"x", ""}, {"", "y"}}} {
		b := make([]byte, hs.serializedSize())
		hs.serialize(b)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		hs := parseHeaders(b)
		again := make([]byte, hs.serializedSize())
		hs.serialize(again)
		if len(hs) > 0 && !bytes.Equal(lowerKey(again), lowerKey(b)) {
			t.Errorf("%q parsed and serialized is %q", b, again)
		}
		if diff := cmp.Diff(hs, parseHeaders(again)); len(hs) > 0 && diff != "" {
			t.Errorf("not the same again:\n%s", diff)
		}
	})
}

func TestHeadersSetAndDel(t *testing.T) {
	hs := Headers{{"a", "1"}, {"b", "2"}, {"a", "3"}}
	hs.Set("a", "4")
	hs.Set("c", "5")
	if diff := cmp.Diff(Headers{{"b", "2"}, {"a", "4"}, {"c", "5"}}, hs); diff != "" {
		t.Errorf("after Set (-want +got):\n%s", diff)
	}
	hs.Del("b")
	if _, found := hs.Get("b"); found || len(hs) != 2 {
		t.Errorf("after Del %v", hs)
	}
}
