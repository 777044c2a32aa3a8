package runs

import (
	"testing"
	"unicode/utf8"
)

// fill is n bytes of text, and then what ends it, or not.
func fill(n int, end string) []byte {
	var b []byte
	for i := range n {
		b = append(b, ' '+byte(i%90))
		if b[i] == '"' || b[i] == '\\' {
			b[i] = 'x'
		}
	}
	return append(append(b, end...), "behind it all, for more than one vector of bytes, and words as well"...)
}

// A run ends at the same byte as a loop over bytes would end, wherever it begins and however long it is.
func TestRuns(t *testing.T) {
	for n := range 150 {
		for from := range min(n+1, 20) {
			for _, c := range []struct {
				end               string
				ascii, text, line int // where each ends, behind n
			}{
				{`"`, 0, 0, -1}, {`\`, 0, 0, -1}, {"\x00", 0, 0, -1}, {"\n", 0, 0, 0}, {"\r", 0, 0, 0}, {"\x1f", 0, 0, -1},
				{`é"`, 0, 2, -1}, {`🍎"`, 0, 4, -1}, {"\xff\"", 0, 0, -1}, {"é\xe2\x82\"", 0, 2, -1}, {"\xed\xa0\x80\"", 0, 0, -1},
			} {
				b := fill(n, c.end)
				line := n + c.line
				if c.line < 0 {
					line = len(b)
				}
				if got := ASCII(b, from); got != n+c.ascii {
					t.Fatalf("ASCII from %d of %q: %d, want %d", from, b, got, n+c.ascii)
				}
				if got := Text(b, from); got != n+c.text {
					t.Fatalf("Text from %d of %q: %d, want %d", from, b, got, n+c.text)
				}
				if got, want := Plain(b, from), n+len(c.end)-1; got != want {
					t.Fatalf("Plain from %d of %q: %d, want %d", from, b, got, want)
				}
				if got := Line(b[from:]); got != line-from {
					t.Fatalf("Line from %d of %q: %d, want %d", from, b, got, line-from)
				}
			}
			if b := fill(n, "")[:n]; ASCII(b, from) != n || Plain(b, from) != n || Text(b, from) != n || Line(b) != n {
				t.Fatalf("%d bytes from %d on have no end", n, from)
			}
		}
	}
}

// A rune is what unicode/utf8 takes for one.
func FuzzRune(f *testing.F) {
	for _, seed := range []string{"é", "€", "🍎", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xff", "\x80a"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, p []byte) {
		if len(p) == 0 || p[0] < 0x80 {
			return
		}
		r, want := utf8.DecodeRune(p)
		if r == utf8.RuneError && want == 1 {
			want = 0
		}
		if got := Rune(p); got != want {
			t.Errorf("%q: %d bytes, want %d", p, got, want)
		}
		if n := Invalid(p); want == 0 && (n < 1 || n > len(p)) {
			t.Errorf("%q: %d bytes are invalid", p, n)
		}
	})
}
