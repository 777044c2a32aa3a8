package ours

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/bound"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/trace"
)

// What the module records of a load has what the load has: its sessions, its order, and what repeats.
func TestRecordIsATrace(t *testing.T) {
	maker := trace.Maker{Seed: 3}
	words := func(id, tokens int) string { return string(maker.AppendText(nil, uint32(id), tokens)) }
	type turn struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var load [][]byte // conversations of five turns each, with one of three system prompts
	chats := make([][]turn, 40)
	for n := range 200 {
		c := n % len(chats)
		if chats[c] == nil {
			chats[c] = []turn{{"system", words(c%3, 700)}}
		} else {
			chats[c] = append(chats[c], turn{"assistant", words(1000+n, 150)})
		}
		chats[c] = append(chats[c], turn{"user", words(2000+n, 120)})
		body, err := json.Marshal(map[string]any{"model": "m", "messages": chats[c]})
		if err != nil {
			t.Fatal(err)
		}
		load = append(load, body)
	}
	engine, err := NewNative([]byte(`{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"record":true,"record_per_second":100000,"scrape":{"path":""}}`), 1)
	if err != nil {
		t.Fatal(err)
	}
	var log, bodies strings.Builder
	at := int64(0)
	for _, body := range load {
		at += 50e6
		engine.Advance(at)
		ticket, err := engine.Begin(0, &router.Request{Path: "/v1/chat/completions", Body: body})
		if err != nil {
			t.Fatal(err)
		}
		x := &ticket.(*nativeTicket).exchange
		answer := fmt.Sprintf(`{"usage":{"prompt_tokens":%d,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":0}}}`, len(body)/4)
		ticket.Headers("10.0.0.1:80", 200, "application/json")
		ticket.Chunk([]byte(answer), true)
		fmt.Fprintf(&log, `{"path":"/v1/chat/completions","status":200,"warmroute":"%s"}`+"\n", x.Record(epoch+at))
		fmt.Fprintf(&bodies, `{"t":%v,"body":%s,"output_tokens":5}`+"\n", float64(at)/1e9, body)
	}
	log.WriteString("a line of something else\n")
	got, err := trace.Read(strings.NewReader(log.String()), "access.log", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sent, err := trace.Read(strings.NewReader(bodies.String()), "bodies", trace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got.Format != trace.Record || len(got.Requests) != len(sent.Requests) || got.Guessed != 0 || got.Requests[0].OutputTokens != 5 {
		t.Fatalf("%s: %d of %d requests, %d guessed", got.Format, len(got.Requests), len(sent.Requests), got.Guessed)
	}
	blocks, err := replay.AsBlocks(sent, 16)
	if err != nil {
		t.Fatal(err)
	}
	want, err := bound.Infinite(blocks)
	if err != nil {
		t.Fatal(err)
	}
	share, err := bound.Infinite(got)
	if err != nil {
		t.Fatal(err)
	}
	// Blocks are coarser than a replica's, so that a little less is seen to repeat.
	if share > want+0.01 || share < want-0.06 {
		t.Errorf("%.3f repeats by the records, %.3f by the bodies", share, want)
	}
	if got.Sessions != len(chats) {
		t.Errorf("%d sessions of %d requests", got.Sessions, len(got.Requests))
	}
}
