package prompt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// invalidBodies are bodies with a string of what is no UTF-8, by where its bytes go.
func invalidBodies(bad []byte) map[string][]byte {
	bodies := map[string][]byte{}
	for name, around := range map[string][2]string{
		"text":    {`{"model":"m","messages":[{"role":"user","content":"`, `"}]}`},
		"medium":  {`{"model":"m","messages":[{"role":"user","content":[{"image_url":"`, `"}]}]}`},
		"field":   {`{"model":"`, `","messages":[{"role":"user","content":"a"}]}`},
		"skipped": {`{"model":"m","messages":[{"role":"user","content":"a"}],"stop":"`, `"}`},
	} {
		bodies[name] = append(append([]byte(around[0]), bad...), around[1]...)
	}
	return bodies
}

// What stands for invalid bytes does not depend on how many come together.
func TestInvalidBytesTogether(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const letters = "\xff\xf4\xf0\xed\xe0\xe2\xc2\xc0\xbf\xa0\x90\x80aé世😀"
	for n := range 300 {
		var bad []byte
		for range n {
			i := random.IntN(len(letters) - 1)
			bad = append(bad, letters[i:i+1+random.IntN(2)]...)
		}
		for name, body := range invalidBodies(bad) {
			whole, single := NewScanner(Options{}), NewScanner(Options{})
			whole.Reset(Chat, nil)
			single.Reset(Chat, nil)
			whole.Write(body)
			for i := range body {
				single.Write(body[i : i+1])
			}
			if whole.Close() != Ready || single.Close() != Ready {
				t.Fatalf("%s: %q: why %q and %q", name, bad, whole.Why(), single.Why())
			}
			if w, s := whole.Prompt(), single.Prompt(); !bytes.Equal(w.Text, s.Text) || !bytes.Equal(w.Model, s.Model) {
				t.Fatalf("%s: %q: together %q %q, one by one %q %q", name, bad, w.Text, w.Model, s.Text, s.Model)
			}
		}
	}
}

// A body of invalid bytes takes some times what plain text takes: a client that sends nothing else would keep its worker from all other
// requests. It was eighty times, by bytes one by one.
func BenchmarkInvalidBytes(b *testing.B) {
	s := NewScanner(Options{})
	for _, bytesOf := range []string{"word ", "\xff", "\xf0\x90\x80", "\xed\xa0\x80"} {
		for name, body := range invalidBodies(bytes.Repeat([]byte(bytesOf), 1<<20/len(bytesOf))) {
			b.Run(fmt.Sprintf("%s/%q", name, bytesOf), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				for b.Loop() {
					s.Reset(Chat, nil)
					s.Write(body)
				}
			})
		}
	}
}
