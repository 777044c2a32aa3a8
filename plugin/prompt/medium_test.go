package prompt

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/prefix"
)

// Two prompts that differ in a picture alone have nothing in common from there on, and as much before it as their text: a picture is as
// long as the text of 256 tokens, not as its URL.
func TestPicturesAreAsLongAsText(t *testing.T) {
	chain := func(url string) (*Prompt, prefix.Chain) {
		body := fmt.Sprintf(`{"model":"m","messages":[{"role":"system","content":"%s"},{"role":"user","content":[{"type":"image_url","image_url":{"url":"%s"}},{"type":"text","text":"What is it?"}]}]}`,
			strings.Repeat("be brief ", 256), url)
		p, status := scan(t, NewScanner(Options{}), Chat, "", []byte(body))
		if status == Broken || !p.Media {
			t.Fatalf("status %v, media %v", status, p.Media)
		}
		var c prefix.Chain
		p.Chain(&c, 1)
		return p, c
	}
	p, a := chain("https://a.example/1.png")
	_, b := chain("https://a.example/2.png")
	same := 0
	for same < a.Len() && a.Hash[same] == b.Hash[same] {
		same++
	}
	text, all := a.Covered(same), a.Covered(a.Len())
	if text < 2000 || text > 2400 || all-text < 3*MediumTokens || p.Size() < 2304+3*MediumTokens {
		t.Errorf("%d of %d bytes in common, of a prompt of %d", text, all, p.Size())
	}
}

// A body of a great many pictures of a few bytes is not a prompt of megabytes.
func TestManyPictures(t *testing.T) {
	parts := strings.Repeat(`{"type":"image_url","image_url":{"url":"x"}},`, 10_000)
	p, status := scan(t, NewScanner(Options{}), Chat, "", []byte(`{"model":"m","messages":[{"role":"user","content":[`+parts+`{"type":"text","text":"?"}]}]}`))
	if most := (mostWhole*mediumTimes + 10_000) * mediumFrame; status == Broken || p.Size() > most+10 {
		t.Errorf("status %v, %d bytes; at most %d are expected", status, p.Size(), most)
	}
}

// What only the server can read is no picture: a session of an agent has many of them.
func TestSealedReasoningIsShort(t *testing.T) {
	p, status := scan(t, NewScanner(Options{}), Responses, "", []byte(`{"model":"m","store":false,"input":[{"type":"reasoning","summary":[],"encrypted_content":"`+strings.Repeat("A", 5000)+`"},{"role":"user","content":"Go on."}]}`))
	if status == Broken || p.Size() > 100 || !p.Unstored {
		t.Errorf("status %v, %d bytes, unstored %v", status, p.Size(), p.Unstored)
	}
}
