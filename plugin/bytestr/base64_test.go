package bytestr

import (
	"encoding/base64"
	"testing"
)

func TestBase64(t *testing.T) {
	data := []byte("any carnal pleas\xff\xfe\x00")
	for n := range len(data) {
		for cut := range n + 1 {
			var w Base64
			got := w.Close(w.Append(w.Append([]byte("x"), data[:cut]), data[cut:n]))
			if want := "x" + base64.RawURLEncoding.EncodeToString(data[:n]); string(got) != want {
				t.Fatalf("%d bytes, cut at %d: %s, want %s", n, cut, got, want)
			}
		}
	}
}
