package prompt

import (
	"bytes"
	"strings"
	"testing"
)

// Members that come twice stay where a record has become too long to put its members in order: they took a slot each, and each a walk
// over those before it, 42 s for a body of 2 MiB.
func TestRepeatedMembersTakeNoRoom(t *testing.T) {
	long := `{"role":"user","content":"` + strings.Repeat("a", maxWindow+window)
	disordered := `{"content":"` + strings.Repeat("a", maxWindow+window)
	for _, record := range []string{long, disordered, disordered + `","tool_calls":[{"function":{"name":"` + strings.Repeat("a", maxWindow+window)} {
		for _, member := range []string{`"content":""`, `"name":"a"`, `"content":"","role":"user"`, `"id":""`, `"arguments":"","name":""`} {
			s := NewScanner(Options{})
			s.Reset(Chat, nil)
			s.Write([]byte(`{"model":"m","messages":[` + record + `"`))
			if s.Write(bytes.Repeat([]byte(`,`+member), 20_000)); len(s.slots) > 64 || s.Why() != "" {
				t.Errorf("%s… with %s: %d slots, why %q", record[:10], member, len(s.slots), s.Why())
			}
		}
	}
}

// An int has 32 bits in the module, where an image of 1 GiB trapped. The decision stays as it is.
func TestEndlessBodiesAreLeft(t *testing.T) {
	s := NewScanner(Options{})
	for _, begin := range []string{`{"role":"user","content":"`, `{"role":"user","content":[{"text":"a"},{"image_url":{"url":"`} {
		s.Reset(Chat, nil)
		s.Write([]byte(`{"model":"m","messages":[` + begin))
		piece := bytes.Repeat([]byte{'a'}, 1<<20)
		for range maxBytes >> 20 {
			s.Write(piece)
		}
		if s.Reads() || s.Write(piece) != Ready || s.Close() != Ready || string(s.Prompt().Model) != "m" {
			t.Errorf("%s… is read on", begin)
		}
	}
}
