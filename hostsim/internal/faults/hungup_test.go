package faults

import "testing"

// Of a prompt whose client hung up, what there was time for is held where it was sent, if it was: nothing has been computed of one that waited for a
// connection, or that a retry took elsewhere.
func TestHungUpBeforeItWasSent(t *testing.T) {
	for name, c := range map[string]struct {
		pending bool
		upsets  string
		held    bool
	}{
		"sent":                       {false, "", true},
		"waiting for a connection":   {true, "", false},
		"reset, and tried elsewhere": {false, "Document", false},
	} {
		w := start(t, module(t), Options{Replicas: 3, CacheTokens: 400_000, Plugin: `"scrape":{"path":""}`})
		w.Pass(5 * second)
		w.Pending, w.Upsets = c.pending, c.upsets
		body := chat(document(1), "")
		x := w.Open(0, chats, len(body))
		x.Write([]byte(body), true)
		x.Route()
		w.Pass(4 * second)
		x.Stop()
		w.Pending, w.Upsets = false, ""
		if d := w.Post(0, chats, body); (d["matched"] != "0") != c.held || d["blocks"] == "" {
			t.Errorf("%s: %s of %s blocks are believed to be held", name, d["matched"], d["blocks"])
		}
	}
}
