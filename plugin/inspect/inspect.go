// Package inspect turns a request into what a policy may know of it. It decides which bodies to read, reads them as they
// arrive, and bounds how many and how much are held.
package inspect

import (
	"slices"
	"strconv"
	"strings"

	"warmroute/plugin/config"
	"warmroute/plugin/prompt"
	"warmroute/plugin/route"
	"warmroute/plugin/why"
)

// Verdict is what is to be done with a request once its headers are known.
type Verdict uint8

const (
	Pass   Verdict = iota // not an LLM request: pass it unsteered
	ByLoad                // no prompt to read: route by load
	Read                  // hold it and Write its body to the Reading
)

// Head is what a request's headers say.
type Head struct {
	Method, Path, ContentType, ContentEncoding string
	Tenant, Session                            string // values of the configured headers; empty without
	Length                                     int    // bytes of the body, by its content-length; 0: not known
	NoBody                                     bool   // the request ends with its headers
	Asks                                       bool   // the configured header asks to see the decision
	Expects                                    bool   // the client waits for 100 Continue, which the proxy has not given
	Cluster                                    string // that the route chose, if the worker asks for it
	Pool                                       int    // the caller's number for the pool, if the headers say which; 0: the model does

	Policy   string       // by the configured header
	Internal bool         // the proxy takes the client for internal
	Choice   route.Choice // the caller's, of Policy: passed on to the Request

	session int // which of the configured session headers was taken, from 1; 0: none yet
}

// Take reads one header of the request into h; names are in lower case. Of several session headers the one that is
// configured first counts; if it comes twice, its first value.
func (in *Inspector) Take(h *Head, name, value string) {
	switch name {
	case ":method":
		h.Method = value
	case ":path":
		h.Path = value
	case "content-type":
		h.ContentType = value
	case "expect":
		h.Expects = true
	case "content-encoding":
		h.ContentEncoding = value
	case "content-length":
		h.Length, _ = strconv.Atoi(value) // 0: not known
	case in.cfg.TenantHeader:
		h.Tenant = value
	case in.cfg.AskHeader:
		h.Asks = true
	case in.cfg.PolicyHeader:
		h.Policy = value
	case "x-envoy-internal":
		h.Internal = value == "true"
	}
	if i := slices.Index(in.cfg.SessionHeaders, name) + 1; i > 0 && (h.session == 0 || i < h.session) {
		h.Session, h.session = value, i
	}
}

// Inspector is what the Readings of one worker share. It is not safe for concurrent use.
type Inspector struct {
	// KeepBytes is how much of a prompt's beginning is kept as its Text; 0: prompt.DefaultKeepBytes.
	KeepBytes int
	// ByModel says that requests whose Head has no Pool need their model, also if their path takes no prompt.
	ByModel bool
	// Settled says that the rest of a prompt cannot change the decision: route.Router.Settled. nil: never.
	Settled func(*route.Request) bool

	cfg   *config.Config
	paths *prompt.Paths
	idle  []*Reading
	open  int // held
	held  int // bytes of their bodies
	after int // read on after the decision
}

// keptOf is what a Reading keeps of a body after the decision, at most, in bytes: the prompt's beginning, and what is not hashed yet.
const keptOf = 96 << 10

// keepIdle readings are kept for reuse; more at once are left to the collector.
const keepIdle = 64

// New makes the inspector that cfg asks for. An error names the field.
func New(cfg *config.Config) (*Inspector, error) {
	paths, err := prompt.NewPaths(cfg.Paths)
	if err != nil {
		return nil, err
	}
	return &Inspector{cfg: cfg, paths: paths}, nil
}

// Begin says what to do with a request; the code says why it is not read. A Reading that it returns must be passed to End.
func (in *Inspector) Begin(h *Head) (r *Reading, verdict Verdict, code why.Code) {
	if h.Method != "POST" {
		return nil, Pass, why.NotPost
	}
	match := in.paths.Find(h.Path)
	switch {
	case match.Format == prompt.None:
		return nil, Pass, why.NotLLM
	case match.Format == prompt.ByLoad && !in.needsModel(h, match):
		return nil, ByLoad, why.NoPrompt
	case h.NoBody:
		return nil, ByLoad, why.NoBody
	case h.Expects: // if it were held, the client would wait for 100 Continue, and we for its body
		return nil, ByLoad, why.ExpectContinue
	case !IsJSON(h.ContentType):
		return nil, ByLoad, why.NotJSON
	case h.ContentEncoding != "" && h.ContentEncoding != "identity":
		return nil, ByLoad, why.Encoded
	case in.open >= in.cfg.MaxInspecting:
		return nil, ByLoad, why.Busy
	}
	if n := len(in.idle); n > 0 {
		r, in.idle = in.idle[n-1], in.idle[:n-1]
	} else {
		r = &Reading{inspector: in, scanner: prompt.NewScanner(prompt.Options{
			KeepBytes: in.KeepBytes, HoldBytes: in.holdBytes(), BlockBytes: in.cfg.BlockBytes,
		})}
	}
	in.open++
	r.begin(h, match)
	return r, Read, ""
}

// needsModel says whether the body must be read for its model.
func (in *Inspector) needsModel(h *Head, match prompt.Match) bool {
	return in.ByModel && h.Pool == 0 && len(match.Model) == 0
}

// heldByFilter is how much of a body is read before the decision if a buffer filter holds it: the limit that the examples
// give that filter. It refuses larger bodies.
const heldByFilter = 4 << 20

// holdBytes is how much of a body is read before the decision, at most.
func (in *Inspector) holdBytes() int {
	if in.cfg.ScanBytes == 0 && in.cfg.Steer.Via == config.ViaProperty {
		return heldByFilter
	}
	return in.cfg.ScanBytes
}

// IsJSON takes application/json and its relatives, such as application/vnd.api+json.
func IsJSON(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	return strings.HasSuffix(strings.ToLower(strings.TrimSpace(kind)), "json")
}

// End releases a Reading; its request and prompt are no longer valid.
func (in *Inspector) End(r *Reading) {
	if r.after {
		in.after--
		r.after = false
	} else {
		in.open--
		in.held -= r.seen
	}
	if len(in.idle) < keepIdle {
		in.idle = append(in.idle, r)
	}
}

// ReadOn lets r be read after the decision, when its request is no longer held. It is false where as many are as may be
// held: then r is to be given back, and the rest of its prompt stays unknown.
func (in *Inspector) ReadOn(r *Reading) bool {
	if in.after >= min(in.cfg.MaxInspecting, in.cfg.MaxHeldBytes/keptOf) {
		return false
	}
	if !r.after {
		r.after = true
		in.open--
		in.held -= r.seen
		in.after++
	}
	return true
}

// Crowded says that more bytes of bodies are held than may be.
func (in *Inspector) Crowded() bool { return in.held > in.cfg.MaxHeldBytes }

// Reading is one body that is being read: up to the decision, and then to its end.
type Reading struct {
	inspector *Inspector

	scanner *prompt.Scanner
	seen    int
	status  prompt.Status
	after   bool   // it is read on after the decision
	blocks  int    // in the chain when Settled was last asked
	model   []byte // from the path
	tenant  []byte
	session []byte
	pool    int
	choice  route.Choice
	length  int
	byLoad  bool // only the model is read
	request route.Request
}

func (r *Reading) begin(h *Head, match prompt.Match) {
	r.scanner.Reset(match.Format, match.Pointer)
	r.seen, r.length, r.status, r.blocks = 0, h.Length, prompt.More, 0
	r.pool, r.choice, r.byLoad = h.Pool, h.Choice, match.Format == prompt.ByLoad
	r.model = append(r.model[:0], match.Model...)
	r.tenant = append(r.tenant[:0], h.Tenant...)
	r.session = append(r.session[:0], h.Session...)
}

// Model is the model, as far as it is known: by the body, else by the path.
func (r *Reading) Model() []byte {
	if m := r.scanner.Model(); len(m) > 0 {
		return m
	}
	return r.model
}

// Seen is the number of body bytes read.
func (r *Reading) Seen() int { return r.seen }

// early is the distance between two places in the body, in bytes, at which Settled is asked. The chunks are cut there, so
// that the decision does not depend on how the body is cut into chunks.
const early = 64 << 10

// Write reads the next bytes and says whether enough has come for a decision. After the decision it reads on, for Whole.
func (r *Reading) Write(chunk []byte) (enough bool) {
	for len(chunk) > 0 {
		n := len(chunk)
		if r.status == prompt.More {
			n = min(n, early-r.seen%early)
		}
		r.seen += n
		if !r.after {
			r.inspector.held += n
		}
		r.status = r.scanner.Write(chunk[:n])
		chunk = chunk[n:]
		if r.byLoad && len(r.scanner.Model()) > 0 {
			return true
		}
		if r.status == prompt.More && r.seen%early == 0 && r.settled() {
			r.scanner.Commit()
			r.status = prompt.Ready
		}
	}
	return r.status != prompt.More
}

// settled says whether what has come is enough for the decision.
func (r *Reading) settled() bool {
	if r.inspector.Settled == nil {
		return false
	}
	n := r.scanner.Decide()
	if n <= r.blocks {
		return false
	}
	r.blocks = n
	return r.inspector.Settled(r.make())
}

// Request is what is known of the request, once Write has returned true or the body has ended.
func (r *Reading) Request() *route.Request {
	if r.byLoad {
		r.request = route.Request{Model: r.Model(), Why: why.NoPrompt}
		return &r.request
	}
	if r.status == prompt.More {
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

func (r *Reading) make() *route.Request {
	r.request = route.Request{Tenant: r.tenant, Session: r.session, Length: r.length, Model: r.Model(), Pool: r.pool, Choice: r.choice}
	if r.status == prompt.Broken {
		r.request.Why = r.scanner.Why()
		return &r.request
	}
	p := r.scanner.Prompt()
	if len(p.Model) == 0 {
		p.Model = r.model
	}
	r.request.Prompt = p
	return &r.request
}
