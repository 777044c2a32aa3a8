package worker

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// What is kept of prompts that are read on after their decision has a bound in bytes: of one of many parts it is several times as much.
func TestWhatIsReadOnTakesNoMoreThanItMay(t *testing.T) {
	const most = 4 << 20
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"scrape":{"path":""},"max_held_bytes":4194304}`, memstore.New())
	words := strings.Repeat("and so on ", 7000)
	odd := fmt.Sprintf(`{"model":"m","reasoning_effort":%[1]q,"chat_template_kwargs":{"a":%[1]q},"functions":[%[1]q],"documents":[%[1]q],"tools":[%[1]q],"messages":[`, words)
	late := `{"content":"` + strings.Repeat(words, 4) // its role may still come
	var all []*Exchange
	for n := range 60 {
		x := new(Exchange)
		x.Begin(w, &inspect.Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json", Length: 1 << 21})
		body := odd + fmt.Sprintf(`{"role":"user","content":"%d%s"},`, n, strings.Repeat(words, 3))
		if feed(x, []byte(body), 16<<10); x.Decide(false, second) != "" {
			t.Fatal("it is not decided")
		}
		for from := 0; from < len(late) && x.Reading(); from += 16 << 10 {
			x.Write([]byte(late[from:min(from+16<<10, len(late))]))
		}
		all = append(all, x)
	}
	kept, read := 0, 0
	for _, x := range all {
		if x.Reading() {
			read++
			kept += x.reading.Memory()
		}
	}
	if kept > most+most/4 || read == 0 {
		t.Errorf("%d prompts are read on, and keep %d bytes; want %d at most", read, kept, most)
	}
	for _, x := range all {
		x.EndBody(2 * second)
		x.End(3*second, false)
	}
	if !w.inspector.Idle() {
		t.Error("some are read for ever")
	}
}
