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
	there := t.member.place >= 0
	f, follows := t.engine.policy.(follower)
	if !t.began {
		if t.began = true; there && follows {
			f.first(t.member.place, t.request)
		}
	}
	if !ends || t.ended {
		return
	}
	if t.ended = true; there {
		t.engine.inFlight[t.member.place]--
		if follows {
			f.end(t.member.place, t.request)
		}
	}
}
