package faults

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// A client whose prompts make replicas answer 500 takes none from others: neither with many prompts, nor with one that always
// goes to the same replica.
func TestPoisonousPrompts(t *testing.T) {
	m := module(t)
	const documents = 60
	for _, c := range []struct {
		name   string
		attack func(n int) string
	}{
		{"none", nil},
		{"one prompt", func(int) string { return "Do it. " + strings.Repeat("Now. ", 100) + "POISON" }},
		{"one beginning", func(n int) string { return "Do it. " + strings.Repeat("Now. ", 100) + strconv.Itoa(n) + "POISON" }},
		{"many", func(n int) string { return fmt.Sprintf("Do %d. ", n) + strings.Repeat("Now. ", 100) + "POISON" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := start(t, m, Options{Replicas: 3, CacheTokens: 400_000})
			w.Pass(5 * second)
			w.Poison = "POISON"
			down, hit, prompt, at := uint64(0), 0, 0, map[string]int{}
			for n := range 10 * documents {
				w.Client = "192.0.2." + strconv.Itoa(1+n%7) + ":4000"
				d := w.Post(0, chats, chat(document(n%documents), ""))
				w.Pass(second / 10)
				if n >= documents {
					p, _ := strconv.Atoi(d["prompt_tokens"])
					k, _ := strconv.Atoi(d["cached_tokens"])
					prompt, hit = prompt+p, hit+k
					at[d["endpoint"]]++
				}
				if c.attack != nil {
					w.Client = "203.0.113.9:4000"
					for k := range 5 {
						w.Post(0, chats, chat(c.attack(n*5+k), ""))
						w.Pass(second / 100)
					}
				}
				down = max(down, w.Gauge("warmroute_endpoints_down"))
			}
			most := 0
			for _, n := range at {
				most = max(most, n)
			}
			share := float64(hit) / float64(prompt)
			t.Logf("%d down at most; true hit of the others %.1f %%; most at one replica %d of %d", down, 100*share, most, 9*documents)
			if down > 0 || share < .9 || most > 9*documents/2 {
				t.Error("want none down, 90 % found, and half at one replica at most")
			}
		})
	}
}

// A client whose requests the first replica resets and the next one answers puts none down, whether its prompts are short or long, nor if each
// comes from another address of its IPv6 network.
func TestOneClientsRetriesPutNothingDown(t *testing.T) {
	m := module(t)
	own := func(int) string { return "203.0.113.9:4000" }
	for name, c := range map[string]struct {
		long   string
		client func(n int) string
	}{
		"short": {"", own},
		"long":  {strings.Repeat("Now. ", 200), own},
		"IPv6":  {"", func(n int) string { return fmt.Sprintf("[2001:db8:1:2:%x::%x]:4000", n%3+1, n+1) }},
		"IPv6, zeros": {"", func(n int) string {
			return fmt.Sprintf([]string{"[2001:db8::%x]:4000", "[2001:db8:0:0:%x::]:4000", "[2001:db8::%x:7:0:9]:4000", "[2001:db8::%x:7:0:0]:4000"}[n%4], n+1)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, m, Options{Replicas: 3, CacheTokens: 400_000, Plugin: `"policy":"prefix_hash"`})
			w.Pass(5 * second)
			w.Upsets = "UPSET"
			retries, others, home := 0, 0, ""
			for n := range 70 { // seven in a row, while others have answers from other replicas
				w.Client = "192.0.2.1:4000"
				if n%7 == 0 {
					home = w.Post(0, chats, chat("Do it, for it is to be done. "+c.long, ""))["endpoint"] // it answers, too
				}
				for w.Post(0, chats, chat(fmt.Sprintf("%d others.", others%9), ""))["endpoint"] == home {
					others++
				}
				w.Client = c.client(n)
				body := chat(fmt.Sprintf("Do it, for it is to be done. %s%dUPSET", c.long, n), "")
				x := w.Open(0, chats, len(body))
				x.Write([]byte(body), true)
				x.Route()
				if x.Answer(); len(x.Tried) == 2 {
					retries++
				}
				if w.Pass(second / 5); w.Gauge("warmroute_endpoints_down") > 0 {
					t.Fatalf("after %d retries a replica is down", retries)
				}
			}
			w.Pass(2 * second)
			if w.Gauge("warmroute_endpoints_down") > 0 {
				t.Error("a replica is down")
			}
			if retries < 50 {
				t.Errorf("%d retries: the test has lost its point", retries)
			}
		})
	}
}

// Clients that hold their uploads back put no replica down, though nothing comes from it, and its metrics cannot be read.
func TestStalledUploads(t *testing.T) {
	w := start(t, module(t), Options{Replicas: 3, CacheTokens: 400_000, Plugin: `"policy":"prefix_hash","scrape":{"path":""}`})
	long := strings.Repeat("A long one. ", 10_000)
	held := []*Exchange{}
	for n := range 400 {
		busy := w.Post(0, chats, chat(document(1), `,"stream":true`))["endpoint"]
		for k := 0; n < 3 && k < 8; k++ {
			body := `{"stream":true,"tools":[],` + chat(strconv.Itoa(n*8+k)+long, "")[1:]
			x := w.Open(0, chats, len(body))
			x.Write([]byte(body[:100_000]), false)
			if x.Route(); x.Decision()["endpoint"] == busy {
				x.Stop()
				continue
			}
			held = append(held, x)
		}
		w.Pass(second)
		if down := w.Gauge("warmroute_endpoints_down"); down > 0 {
			t.Fatalf("after %d s %d replicas are down, with %d uploads under way", n, down, len(held))
		}
	}
	for _, x := range held {
		if !x.Started() {
			t.Fatal("an upload of 100 KB is still held: the test has lost its point")
		}
		x.Stop()
	}
	w.Pass(2 * second)
	if n := w.Gauge("warmroute_in_flight"); n != 0 {
		t.Errorf("%d in flight at rest", n)
	}
}

// A client that trickles as many uploads as may be held keeps others from being routed by their prompts for little more than
// decide_timeout.
func TestSlowUploadsMakeRoom(t *testing.T) {
	w := start(t, module(t), Options{Replicas: 3, CacheTokens: 400_000, Plugin: `"policy":"prefix_hash","max_inspecting":8`})
	body := []byte(chat(strings.Repeat("A slow one. ", 100), ""))
	var held []*Exchange
	for range 8 {
		x := w.Open(0, chats, len(body))
		x.Write(body[:10], false)
		held = append(held, x)
	}
	if why := w.Post(0, chats, chat(document(1), ""))["why"]; why != "busy" {
		t.Fatalf("with all places taken a request is routed for %q: the test has lost its point", why)
	}
	for at := 10; at < 16; at++ {
		w.Pass(second / 4)
		for _, x := range held {
			x.Write(body[at:at+1], false)
		}
	}
	if d := w.Post(0, chats, chat(document(1), "")); d["why"] != "" || d["endpoint"] == "" {
		t.Errorf("after a second and a half a request is not routed by its prompt: %v", d)
	}
	for _, x := range held {
		x.Stop()
	}
	w.Pass(2 * second)
	if n := w.Gauge("warmroute_in_flight"); n != 0 {
		t.Errorf("%d in flight at rest", n)
	}
}

// The log names the replica that stops answering, and says when it is back; so does the metric.
func TestOutageIsToldOf(t *testing.T) {
	w := start(t, module(t), Options{Replicas: 3, CacheTokens: 400_000})
	w.Pass(5 * second)
	n := 0
	load := func() {
		for range 200 {
			n++
			w.Client = "192.0.2." + strconv.Itoa(1+n%7) + ":4000"
			w.Post(0, chats, chat(document(n), ""))
			w.Pass(second / 4)
		}
	}
	said := func(text string) bool {
		for _, entry := range w.Proxy.Logs() {
			if strings.Contains(entry.Message, text) {
				return true
			}
		}
		return false
	}
	load()
	w.Replicas[1].Mode = Fails
	load()
	if down, since := "endpoint "+Address(1)+" is down (failing)", w.Gauge("warmroute_endpoint_down_since_timestamp_seconds"); !said(down) || since == 0 {
		t.Errorf("a replica fails, down since %d, and the log is %v; want %q", since, w.Proxy.Logs(), down)
	}
	w.Replicas[1].Mode = Works
	load()
	if up, since := "endpoint "+Address(1)+" is up again after", w.Gauge("warmroute_endpoint_down_since_timestamp_seconds"); !said(up) || since != 0 {
		t.Errorf("it works again, down since %d, and the log is %v; want %q", since, w.Proxy.Logs(), up)
	}
}
