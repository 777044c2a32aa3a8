package find

import "testing"

// nginx's text logs say when an answer ended: how long it took is subtracted where the line names it, before the body or behind it.
func TestTextLineTook(t *testing.T) {
	const line, body = `10.0.0.9 - - [01/Mar/2026:09:00:05 +0000] "POST /v1/chat/completions HTTP/1.1" 200 512`, `"{\x22model\x22:\x22m\x22,\x22prompt\x22:\x22rt=9.5 {}\x22}"`
	for text, took := range map[string]float64{
		line + ` rt=2.250 uct="0.001" ` + body:  2.25,
		line + ` ` + body + ` rt=2.250`:         2.25,
		line + ` request_time=2.250 ` + body:    2.25,
		line + ` request_time="2.250" ` + body:  2.25,
		line + ` 2.250 ` + body + ` urt="1.5"`:  0,
		line + ` rt=- ` + body + ` start=1.250`: 0,
	} {
		all := Line([]byte(text), nil)
		if len(all) != 1 || all[0].Call == nil || len(all[0].Call.Clocks) == 0 {
			t.Errorf("%s: %+v", text, all)
		} else if c := all[0].Call; c.Clocks[0].At != 1772355605-took || c.Took != took {
			t.Errorf("%s: at %v, took %v", text, c.Clocks[0].At, c.Took)
		}
	}
}
