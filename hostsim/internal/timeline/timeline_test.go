package timeline

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/trace"
)

// A conversation whose every turn names the one before grows with the square of its turns: what is made of it has a bound, and what is beyond it is said.
func TestEarlierIsBounded(t *testing.T) {
	m := &maker{account: &Account{}, options: Options{Restore: 20_000}}
	for i := range 100 {
		r := &call.Call{Body: fmt.Appendf(nil, `{"model":"m","input":"turn %d"}`, i), Answer: call.Answer{ID: fmt.Sprint("r", i), Said: []*loose.Value{loose.Read([]byte(`{"type":"message"}`))}}}
		if i > 0 {
			r.Follows = fmt.Sprint("r", i-1)
		}
		m.calls = append(m.calls, r)
	}
	m.restore()
	total := 0
	for _, r := range m.calls {
		total += len(r.Body)
	}
	if m.account.Restored < 10 || m.account.Restored+m.account.Beyond != 99 || m.account.Short != 0 || total > 30_000 {
		t.Errorf("%d bytes: %+v", total, m.account)
	}
}

// chat is a call of a chat whose turns these are, the user's first, at a second of a log.
func chat(at float64, turns ...string) *call.Call {
	var list []string
	for i, turn := range turns {
		list = append(list, fmt.Sprintf(`{"role":%q,"content":%q}`, []string{"user", "assistant"}[i%2], turn))
	}
	c := &call.Call{Path: call.ChatPath, Body: []byte(`{"model":"m","messages":[` + strings.Join(list, ",") + `]}`)}
	if at >= 0 {
		c.Clocks = []clocks.Reading{{Name: "ts", Raw: 1772355600 + at, At: 1772355600 + at}}
	}
	return c
}

// Calls are put in order of time; one continues the session whose prompt its own begins with, and says how long the answer before was.
func TestMake(t *testing.T) {
	first, other, second := chat(0, "a"), chat(3, "x"), chat(7, "a", "12345678", "c")
	first.Took, second.Answer = 2, call.Answer{Tokens: 9, Counted: true}
	var a Account
	got, err := Make([]*call.Call{second, other, first}, Options{}, &a)
	if err != nil || len(got) != 3 {
		t.Fatalf("%v, %+v", err, got)
	}
	if got[0].T != 0 || got[1].T != 3 || got[2].T != 7 || got[0].Session != got[2].Session || got[0].Session == got[1].Session || got[2].Think != 5 {
		t.Errorf("%+v", got)
	}
	if got[0].OutputTokens != 2 || got[2].OutputTokens != 9 || got[1].OutputTokens != 5 { // the last the mean
		t.Errorf("%+v", got)
	}
	want := Account{Requests: 3, Sessions: 2, Span: 7, Timed: 3, Gap: 1, Instead: "ts", Inferred: 1, Counted: 1, NextTurn: 1, Guessed: 1, Guess: 5}
	if fmt.Sprintf("%+v", a) != fmt.Sprintf("%+v", want) {
		t.Errorf("%+v, want %+v", a, want)
	}
}

// Without times requests come one by one; a trace that would last for ever is refused.
func TestMakeWithoutTimes(t *testing.T) {
	var a Account
	got, err := Make([]*call.Call{chat(-1, "a"), chat(-1, "b")}, Options{Gap: 250e6, OutputTokens: 7}, &a)
	if err != nil || len(got) != 2 || got[1].T != .25 || got[1].OutputTokens != 7 || a.Timed != 0 || a.Untimed == nil {
		t.Errorf("%v, %+v, %+v", err, got, a)
	}
	_, err = Make([]*call.Call{chat(0, "a"), chat(trace.MaxSeconds+1, "b")}, Options{}, &a)
	if err == nil || !strings.Contains(err.Error(), "after the first one") {
		t.Errorf("%v", err)
	}
}
