package inspect

import (
	"cmp"

	"warmroute/plugin/decision"
	"warmroute/plugin/prompt"
	"warmroute/plugin/why"
)

// Reading is one body that is being read: up to the decision, and then to its end.
type Reading struct {
	inspector *Inspector

	scanner *prompt.Scanner
	seen    int
	status  prompt.Status
	after   bool   // it is read on after the decision
	kept    int    // bytes that are counted of it: in held, after the decision in kept
	spare   int    // bytes that it has had room for since bodies before
	blocks  int    // in the chain when Settled was last asked
	model   []byte // from the path
	tenant  []byte
	session []byte
	pool    int
	choice  decision.Choice
	length  int
	byLoad  bool     // only the model is read
	hidden  bool     // it has prompts, which are not read
	due     bool     // Hasten was called
	unread  why.Code // why there is no prompt, where the body is held to its end even so: it may have to wait
	request decision.Request
}

func (r *Reading) begin(h *Head, match prompt.Match) {
	r.scanner.Reset(match.Format, match.Pointer)
	r.seen, r.length, r.status, r.blocks = 0, h.Length, prompt.More, 0
	r.pool, r.choice, r.byLoad, r.due = h.Pool, h.Choice, match.Format == prompt.ByLoad, false
	if r.unread = ""; h.isEncoded() {
		r.unread = why.Encoded
	}
	if r.hidden = match.Unread; r.hidden && !r.inspector.needsModel(h, match) {
		r.hide()
	}
	r.model = prompt.AppendShort(r.model[:0], match.Model)
	r.tenant = prompt.AppendShort(r.tenant[:0], h.Tenant)
	r.session = prompt.AppendShort(r.session[:0], h.Session)
}

// Model is the model, as far as it is known: by the body, else by the path.
func (r *Reading) Model() []byte {
	if m := r.scanner.Model(); len(m) > 0 {
		return m
	}
	return r.model
}

// Stored is the name of the response that it continues, as far as it is known; empty: of none.
func (r *Reading) Stored() []byte { return r.scanner.Previous() }

// Seen is the number of body bytes read.
func (r *Reading) Seen() int { return r.seen }

// Arrived says that as much of the body has come as its content-length announced.
func (r *Reading) Arrived() bool { return r.length > 0 && r.seen >= r.length }

// early is the distance between two places in the body, in bytes, at which Settled is asked. The chunks are cut there, so
// that the decision does not depend on how the body is cut into chunks.
const early = 64 << 10

// Room is how much Write is to be given at most where the proxy lends the memory: Settled comes behind it, and reads shared data, which
// may be put where the rest would lie.
func (r *Reading) Room() int { return early - r.seen%early }

// Write reads the next bytes and says whether enough has come for a decision. After the decision it reads on, for Whole.
func (r *Reading) Write(chunk []byte) (enough bool) {
	hold := r.inspector.cfg.HoldBytes()
	for len(chunk) > 0 {
		n := len(chunk)
		if r.status == prompt.More {
			n = min(n, early-r.seen%early)
			if r.seen < hold {
				n = min(n, hold-r.seen)
			}
		}
		r.seen += n
		if r.unread == "" {
			r.status = r.scanner.Write(chunk[:n])
		}
		r.keep()
		chunk = chunk[n:]
		if r.byLoad && len(r.scanner.Model()) > 0 {
			if !r.hidden || !r.inspector.waits(r.make()) {
				return true
			}
			r.hide()
		}
		if r.status == prompt.More && (r.seen == hold || r.seen > hold && r.seen%early == 0) && !r.waitsForModel() {
			r.Cut()
		}
		if r.status == prompt.More && r.seen%early == 0 {
			r.settle()
		}
	}
	if r.status == prompt.Broken && r.unread == "" && !r.byLoad && r.inspector.waits(r.make()) {
		r.unread = r.scanner.Why()
	}
	if r.unread != "" {
		return r.seen >= hold
	}
	return r.status != prompt.More
}

// hide makes it one whose body is held to its end, and not read.
func (r *Reading) hide() {
	r.byLoad, r.unread = false, why.NoPrompt
}

// keep counts what it keeps. Before the decision the proxy holds the body, and of a few pictures more is kept than has come: each is as long as
// the text of prompt.MediumTokens.
func (r *Reading) keep() {
	n, total := max(r.seen, r.scanner.Kept()), &r.inspector.held
	if r.after {
		n, total = r.Memory(), &r.inspector.kept
	}
	*total += n - r.kept
	r.kept = n
}

// leave ends that count.
func (r *Reading) leave() {
	number, total := &r.inspector.open, &r.inspector.held
	if r.after {
		number, total = &r.inspector.after, &r.inspector.kept
	}
	*number--
	*total -= r.kept
	r.after, r.kept = false, 0
}

// Burdens says that it is read on, and more is kept of those that are than may be: it is to be given back. Of a prompt of many parts, or in
// an odd order, several times as much is kept as of others.
func (r *Reading) Burdens() bool { return r.after && r.inspector.kept > r.inspector.cfg.MaxHeldBytes }

// FitsIn says that the whole body, by its content-length, is that long at most.
func (r *Reading) FitsIn(bytes int) bool { return r.length > 0 && r.length <= bytes }

// Cut ends the wait for more of the body: Request is what has come.
func (r *Reading) Cut() {
	if r.unread == "" {
		r.status = r.scanner.Cut()
	}
}

// Hasten says that the body takes too long to come, and whether what has come is enough for a decision without waiting for room. A second
// call says no.
func (r *Reading) Hasten() (enough bool) {
	if r.due || r.status != prompt.More || r.byLoad {
		return false
	}
	r.due, r.blocks = true, 0
	r.settle()
	return r.status != prompt.More
}

// settle makes it ready for the decision if what has come is enough for that.
func (r *Reading) settle() {
	if r.inspector.Settled == nil {
		return
	}
	n := r.scanner.Decide(r.due)
	if n <= r.blocks {
		return
	}
	if r.blocks = n; r.inspector.Settled(r.make()) {
		r.scanner.Commit()
		r.status = prompt.Ready
	}
}

// Request is what is known of the request, once Write has returned true or the body has ended.
func (r *Reading) Request() *decision.Request {
	if r.byLoad {
		r.request = decision.Request{Model: r.Model(), Why: why.NoPrompt}
		return &r.request
	}
	if r.status == prompt.More && r.unread == "" {
		r.status = r.scanner.Close()
	}
	return r.make()
}

// Whole is the whole prompt, of a body that ended after the decision; nil if nothing was read after it.
func (r *Reading) Whole() *prompt.Prompt {
	if r.request.Prompt == nil || !r.request.Prompt.Truncated || r.scanner.Close() != prompt.Ready {
		return nil
	}
	return r.request.Prompt
}

func (r *Reading) make() *decision.Request {
	r.request = decision.Request{Tenant: r.tenant, Session: r.session, Length: r.length, Model: r.Model(), Stored: r.Stored(), Pool: r.pool, Choice: r.choice, Due: r.due}
	if r.unread != "" || r.status == prompt.Broken {
		r.request.Why, r.request.Length = cmp.Or(r.unread, r.scanner.Why()), max(r.length, r.seen)
		return &r.request
	}
	p := r.scanner.Prompt()
	if len(p.Model) == 0 {
		p.Model = r.model
	}
	r.request.Prompt = p
	return &r.request
}

// Work is prompt.Scanner.Work.
func (r *Reading) Work() int { return r.scanner.Work() }

// Memory is the bytes that it keeps of the prompt.
func (r *Reading) Memory() int { return r.scanner.Memory() }
