package layout

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// What cannot be read is called by its name; it is no empty log, and no log of many bad lines.
func TestPacked(t *testing.T) {
	for _, m := range magics {
		if _, err := Open("a.log", strings.NewReader(m.bytes+"\x00\x01\x02")); err == nil || !strings.Contains(err.Error(), "a.log is "+m.what) {
			t.Errorf("%s: %v", m.what, err)
		}
	}
	if _, err := Open("a.log", strings.NewReader(strings.Repeat("\x00", 257)+"ustar\x0000")); err == nil || !strings.Contains(err.Error(), "a tar archive: tar -xOf a.log") {
		t.Errorf("of an archive: %v", err)
	}
}

// A file is its text, also where it is compressed, or a table with backslashes before its quotes.
func TestOpen(t *testing.T) {
	var zip bytes.Buffer
	w := gzip.NewWriter(&zip)
	_, _ = w.Write([]byte("one\ntwo"))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"": "", "one\ntwo": "one\ntwo", zip.String(): "one\ntwo",
		"at,prompt\n" + `7,"{\"a\":\"\\n\"}"`: "at,prompt\n" + `7,"{""a"":""\n""}"`,
		`{"a":"\"{\\"}`:                       `{"a":"\"{\\"}`,
	} {
		in, err := Open("a.log", strings.NewReader(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if got, err := io.ReadAll(in); err != nil || string(got) != want {
			t.Errorf("%q is %q, %v; want %q", text, got, err, want)
		}
	}
	in, err := Open("a.log", strings.NewReader(zip.String()[:zip.Len()-6]))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(in); !BreaksOff(err) || BreaksOff(io.EOF) {
		t.Errorf("a file that was cut: %v", err)
	}
}

func TestSpread(t *testing.T) {
	for text, want := range map[string]bool{
		"[\n{}": true, "\ufeff[{": true, "{\n\"a\":1}": true, `[ {"a":1}]`: true,
		"": false, "{}": false, `{"a":1}` + "\n" + `{"a":1}`: false, "[1,2]": false, "[INFO] x": false, `{"a":` + "\n" + `b}`: false,
		// a value ends in the first line, and more stands behind it
		`{"a":1},` + "\n" + `{"a":1}`: false, `{"a":1} # x` + "\n": false, `{"a":1}{"a":2}` + "\n" + `{"a":3}`: false, `{"a":1} # x`: false, `{"a":1}, {"a":`: true,
		// the first record is broken
		"{\n\"a\":1\n{\n": true, `{"a":1,` + "\n\"b\":x\n{": true, "[\n {\n x": true, `[{"a":x},`: true, "[{\n\"a\":x": true, `{"a":1,` + "\n" + `{"a":2}`: false,
	} {
		if got := Spread([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Lines that containerd or Docker has cut become whole; those of the other stream between them stay apart.
func TestJoin(t *testing.T) {
	long := strings.Repeat("x", dockerPart)
	docker := func(log, stream string) string { return `{"log":"` + log + `","stream":"` + stream + `","time":"7"}` }
	for name, c := range map[string]struct{ lines, want []string }{
		"none":       {[]string{"a", "7 stdout"}, []string{"a", "7 stdout"}},
		"containerd": {[]string{"7 stdout P a ", "7 stderr F b", "8 stdout P c", "9 stdout F d"}, []string{"", "7 stderr F b", "", "9 stdout F a cd"}},
		"Docker":     {[]string{docker(long, "stdout"), docker(`b\n`, "stderr"), docker(`c\n`, "stdout")}, []string{"", docker(`b\n`, "stderr"), docker(long+`c\n`, "stdout")}},
	} {
		parts := Parts{}
		for i, line := range c.lines {
			if got := string(parts.Join([]byte(line))); got != c.want[i] {
				t.Errorf("%s: line %d is %.60q, want %.60q", name, i, got, c.want[i])
			}
		}
	}
}

func TestColumns(t *testing.T) {
	for line, want := range map[string]string{"\ufeffa,b c": "a|b c", "a;ü": "a|ü", "a\tb": "a|b", "a": "", `{"a",b`: "", "a: b, c": ""} {
		if got := strings.Join(Columns([]byte(line)), "|"); got != want {
			t.Errorf("%q: %s, want %s", line, got, want)
		}
	}
}
