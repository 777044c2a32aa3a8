package answers

import "testing"

func TestID(t *testing.T) {
	const stream = "event: response.created\ndata: {\"response\":{\"id\":\"resp_ab12\",\"object\":\"response\",\"previous_response_id\":\"resp_00\"},\"sequence_number\":0,\"type\":\"response.created\"}\n\n"
	for body, want := range map[string]string{
		`{"id":"resp_ab12","object":"response"}`:    "resp_ab12",
		"{\n \"id\" : \"resp_ab12\",\"output\":[]}": "resp_ab12",
		stream:                            "resp_ab12",
		`{"object":"response"}`:           "",
		`{"id":7}`:                        "",
		`{"id":""}`:                       "",
		`{"id":"a\u0062"}`:                "",
		`{"id"`:                           "",
		`{"id":"never ends`:               "",
		`{"output":[{"id":"msg_1"}]}`:     "msg_1",
		`["id","resp_1"]`:                 "",
		`{"error":{"message":"not here"}`: "",
	} {
		for _, step := range []int{1, 7, len(body)} {
			var d ID
			d.Reset()
			got := ""
			for at := 0; at < len(body); at += step {
				if id := d.Write([]byte(body[at:min(at+step, len(body))])); id != nil {
					if got != "" {
						t.Errorf("%s: a second name", body)
					}
					got = string(id)
				}
			}
			if got != want {
				t.Errorf("%s in pieces of %d: %q, want %q", body, step, got, want)
			}
		}
	}
}

func TestIDReadsTheBeginningAlone(t *testing.T) {
	var d ID
	d.Reset()
	if id := d.Write(append(make([]byte, 600), `"id":"resp_1"`...)); id != nil || !d.Done() {
		t.Errorf("%q, done %v", id, d.Done())
	}
}
