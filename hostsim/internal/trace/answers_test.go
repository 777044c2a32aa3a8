package trace

import (
	"reflect"
	"testing"
)

// What a turn's answer was shows in the next prompt of the session, where that begins with the turn and has grown by its answer.
func TestKept(t *testing.T) {
	request := func(after, in, out int, blocks ...Span) Request {
		return Request{After: after, InputTokens: in, OutputTokens: out, Blocks: blocks}
	}
	base := Trace{BlockSize: 16, IDs: 100, Requests: []Request{
		request(-1, 40, 40, Span{0, 3}),                          // its third block is not whole
		request(0, 100, 10, Span{0, 2}, Span{10, 5}),             // has 80 tokens of it: blocks 0, 1, 10 to 12
		request(1, 105, 10, Span{0, 2}, Span{10, 5}),             // has not grown by the answer
		request(-1, 32, 40, Span{20, 2}),                         //
		request(3, 96, 8, Span{20, 1}, Span{30, 5}),              // begins otherwise
		request(-1, 48, 4, Span{40, 3}),                          //
		request(5, 64, 4, Span{40, 4}),                           // the answer fills no block
		request(-1, 32, 32, Span{50, 2}),                         //
		request(7, 80, 1, Span{50, 1}, Span{51, 1}, Span{52, 3}), // the same ids in other spans
	}}
	if base.Kept() != &base {
		t.Error("without Answers something is kept")
	}
	base.Answers = true
	got := base.Kept()
	want := append([]Request{}, base.Requests...)
	want[0].Blocks, want[0].InputTokens = Blocks{{0, 2}, {10, 3}}, 80
	want[7].Blocks, want[7].InputTokens = Blocks{{50, 1}, {51, 1}, {52, 2}}, 64
	if !reflect.DeepEqual(got.Requests, want) {
		t.Errorf("got %+v\nwant %+v", got.Requests, want)
	}
	if len(base.Requests[0].Blocks) != 1 {
		t.Error("the trace itself is changed")
	}
}
