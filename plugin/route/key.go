package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/prefix"
	"warmroute/plugin/why"
)

// PickKey is Pick for the steering target hash: it writes the affinity key of a policy that has one
// (config.Policy.HasKey) into d, without endpoints. Where the request has no key, the code says what is missing.
func PickKey(cfg *config.Config, req *decision.Request, d *decision.Decision) (code why.Code) {
	d.Reset(cfg.Policy)
	d.Reason = decision.ByKey
	if req.Prompt == nil {
		return req.Why
	}
	p := req.Prompt
	d.Key, code = keyed[cfg.Policy](cfg, prefix.Seed(p.Model, p.Adapter, p.Salt, req.Tenant), req)
	d.HasKey = code == ""
	return code
}

// Session is what all requests of a session have in common, and those of others do not: false where nothing names it.
func Session(req *decision.Request) (key uint64, ok bool) {
	if req.Prompt == nil {
		return 0, false
	}
	key, code := sessionKey(prefix.Seed(req.Prompt.Model, nil, nil, req.Tenant), req)
	return key, code == ""
}

// sessionKey is the key of a session: the header's value, else the session that the body names, else the first user turn.
func sessionKey(seed uint64, req *decision.Request) (key uint64, code why.Code) {
	session := req.Session
	if len(session) == 0 {
		session = req.Prompt.Session
	}
	if len(session) == 0 {
		return 0, why.NoSession
	}
	return prefix.Key(seed, session), ""
}

// systemKey is the key of the tools and the system prompt.
func systemKey(seed uint64, req *decision.Request) (key uint64, code why.Code) {
	if req.Prompt.SystemLen == 0 {
		return 0, why.NoSystem
	}
	return prefix.Key(seed, req.Prompt.Text[:req.Prompt.SystemLen]), ""
}

// beginningKey is the key of the prompt's first characters.
func beginningKey(seed uint64, req *decision.Request, chars int) uint64 {
	return prefix.Key(seed, req.Prompt.Prefix(chars))
}
