package peers

import "fmt"

// ticket is a request under way.
type ticket struct {
	engine  *Engine
	member  *member
	reason  string
	request *request
	began   bool // its first token has come
	ended   bool
}

// Decision implements router.Ticket.
func (t *ticket) Decision() string {
	return fmt.Sprintf("policy=%s;reason=%s;endpoint=%s", t.engine.name, t.reason, t.member.address)
}

// Endpoints implements router.Ticket.
func (t *ticket) Endpoints() []string { return []string{t.member.address} }

// Headers implements router.Ticket.
func (t *ticket) Headers(string, int, string) {}

// Chunk implements router.Ticket.
func (t *ticket) Chunk(_ []byte, ends bool) {
	if !t.began {
		t.began = true
		if f, follows := t.engine.policy.(follower); follows && t.member.place >= 0 {
			f.first(t.member.place, t.request)
		}
	}
	if ends {
		t.end()
	}
}

// Cancel implements router.Ticket: they count a request until it ends, in whatever way.
func (t *ticket) Cancel() { t.end() }

func (t *ticket) end() {
	if t.ended {
		return
	}
	if t.ended = true; t.member.place >= 0 {
		t.engine.inFlight[t.member.place]--
		if f, follows := t.engine.policy.(follower); follows {
			f.end(t.member.place, t.request)
		}
	}
}
