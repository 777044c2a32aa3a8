// Package inspect turns a request into what a policy may know of it. It decides which bodies to read, reads them as they
// arrive, and bounds how many and how much are held.
package inspect

import (
	"slices"
	"strconv"
	"strings"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/prompt"
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

	Policy   string          // by the configured header
	Internal bool            // the proxy takes the client for internal
	Choice   decision.Choice // the caller's, of Policy: passed on to the Request

	Named bool // set by Begin: the response may have a name under which its server keeps it

	session int // which of the configured session headers was taken, from 1; 0: none yet
}

// Keep copies what the request's headers have: the proxy lends them, and a new pool reads so much shared data that they may be
// written over.
func (h *Head) Keep() {
	for _, s := range []*string{&h.Method, &h.Path, &h.ContentType, &h.ContentEncoding, &h.Tenant, &h.Session} {
		*s = strings.Clone(*s)
	}
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
		h.Expects = strings.EqualFold(value, "100-continue") // others are the server's to refuse
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
	// Listed says the same of all requests: endpoints list the models that they serve.
	Listed bool
	// Unlike says whether the endpoints of a pool, by the Head's number, are known to serve different models. nil: none are.
	Unlike func(pool int) bool
	// Settled says that the rest of a prompt cannot change the decision: route.Router.Settled. nil: never.
	Settled func(*decision.Request) bool
	// Waits says whether a request without a prompt may have to wait for room: then its body is held to its end even so. nil: never.
	Waits func(*decision.Request) bool

	cfg   *config.Config
	paths *prompt.Paths
	idle  []*Reading
	open  int // held
	held  int // bytes of their bodies, or those that they keep where these are more
	after int // read on after the decision
	kept  int // bytes that those keep
	spare int // bytes that Readings have room for since bodies before; of those in use too, since a small body hides it
}

// keptOf is what a Reading keeps of most bodies after the decision, in bytes: the prompt's beginning, and what is not hashed yet.
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
	h.Named = match.Format == prompt.Responses
	switch {
	case match.Format == prompt.None:
		return nil, Pass, why.NotLLM
	case match.Format == prompt.ByLoad && !in.needsModel(h, match) && !(match.Unread && in.waits(h.request())):
		return nil, ByLoad, why.NoPrompt
	case h.NoBody:
		return nil, ByLoad, why.NoBody
	case h.Expects: // if it were held, the client would wait for 100 Continue, and we for its body
		return nil, ByLoad, why.ExpectContinue
	case !IsJSON(h.ContentType):
		return nil, ByLoad, why.NotJSON
	case h.isEncoded() && (match.Format == prompt.ByLoad && !match.Unread || !in.waits(h.request())):
		return nil, ByLoad, why.Encoded
	case in.open >= in.cfg.MaxInspecting:
		return nil, ByLoad, why.Busy
	}
	if n := len(in.idle); n > 0 {
		r, in.idle = in.idle[n-1], in.idle[:n-1]
	} else {
		r = &Reading{inspector: in, scanner: prompt.NewScanner(prompt.Options{
			KeepBytes: in.KeepBytes, HoldBytes: -1, BlockBytes: in.cfg.BlockBytes, // Reading.Write says when it is enough
		})}
	}
	in.open++
	r.begin(h, match)
	return r, Read, ""
}

func (h *Head) isEncoded() bool { return h.ContentEncoding != "" && h.ContentEncoding != "identity" }

// request is what is known of it before its body.
func (h *Head) request() *decision.Request {
	return &decision.Request{Pool: h.Pool, Choice: h.Choice, Length: h.Length}
}

func (in *Inspector) waits(req *decision.Request) bool { return in.Waits != nil && in.Waits(req) }

// needsModel says whether the body must be read for its model.
func (in *Inspector) needsModel(h *Head, match prompt.Match) bool {
	return (in.ByModel && h.Pool == 0 || in.Listed) && len(match.Model) == 0
}

// Holds says whether a body of that length, 0 where it is not known, may be held whole.
func (in *Inspector) Holds(length int) bool { return !in.Full() && length <= in.cfg.HoldBytes() }

// IsJSON takes application/json and its relatives, such as application/vnd.api+json.
func IsJSON(contentType string) bool {
	if contentType == "application/json" { // as nearly all write it
		return true
	}
	kind, _, _ := strings.Cut(contentType, ";")
	return strings.HasSuffix(strings.ToLower(strings.TrimSpace(kind)), "json")
}

// End releases a Reading; its request and prompt are no longer valid. It is used again unless used ones have room for as many bytes as bodies may
// take, which held does not count: else clients could have each Reading grow in turn.
func (in *Inspector) End(r *Reading) {
	r.leave()
	in.spare -= r.spare
	r.spare = r.Memory()
	if n := in.spare + r.spare; len(in.idle) < keepIdle && n <= in.cfg.MaxHeldBytes {
		in.idle, in.spare = append(in.idle, r), n
	}
}

// ReadOn lets r be read after the decision, when its request is no longer held. It is false where as many are as may be
// held: then r is to be given back, and the rest of its prompt stays unknown.
func (in *Inspector) ReadOn(r *Reading) bool {
	if in.after >= min(in.cfg.MaxInspecting, in.cfg.MaxHeldBytes/keptOf) || in.kept+r.Memory() > in.cfg.MaxHeldBytes {
		return false
	}
	if !r.after {
		r.leave()
		r.after = true
		in.after++
		r.keep()
	}
	return true
}

// Idle says that no body is read.
func (in *Inspector) Idle() bool { return in.open+in.after == 0 }

// Filling says that more than half of the bodies that may be held are.
func (in *Inspector) Filling() bool { return in.open > in.cfg.MaxInspecting/2 }

// Full says that a quarter of the bodies that may be held are, or half of their bytes: none more is to be held on purpose.
func (in *Inspector) Full() bool {
	return in.open > in.cfg.MaxInspecting/4 || in.held > in.cfg.MaxHeldBytes/2
}

// Crowded says that more bytes of bodies are held than may be.
func (in *Inspector) Crowded() bool { return in.held > in.cfg.MaxHeldBytes }
