package call

import (
	"errors"
	"testing"

	"warmroute/hostsim/internal/trace"
)

// What the server has counted stays; other lengths give way to what comes later.
func TestAnswered(t *testing.T) {
	var r Call
	for _, c := range []struct{ told, want Answer }{
		{Answer{Tokens: 7, ID: "a"}, Answer{Tokens: 7, ID: "a"}},
		{Answer{Tokens: 9, Counted: true, ID: "b"}, Answer{Tokens: 9, Counted: true, ID: "b"}},
		{Answer{Tokens: 5, Counted: true}, Answer{Tokens: 9, Counted: true, ID: "b"}},
	} {
		if r.Answered(c.told); r.Answer.Tokens != c.want.Tokens || r.Answer.Counted != c.want.Counted || r.Answer.ID != c.want.ID {
			t.Errorf("%+v, want %+v", r.Answer, c.want)
		}
	}
}

// A replica gets what is new of a conversation that the server keeps, and judges that.
func TestJudge(t *testing.T) {
	r := Call{Path: ResponsesPath, Body: []byte(`{"input":"a","previous_response_id":"r1"}`)}
	refusal := errors.New("no")
	err := r.Judge(func(path string, body []byte) error {
		if path != ResponsesPath || string(body) != `{"input":"a"}` {
			t.Errorf("%s %s", path, body)
		}
		return refusal
	})
	if !errors.Is(err, refusal) || r.Follows != "r1" || r.Judge(nil) != nil {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestTokens(t *testing.T) {
	for bytes, want := range map[int]int{0: 0, 1: 1, trace.BytesPerToken: 1, trace.BytesPerToken + 1: 2} {
		if got := Tokens(bytes); got != want {
			t.Errorf("%d bytes are %d tokens, want %d", bytes, got, want)
		}
	}
}
