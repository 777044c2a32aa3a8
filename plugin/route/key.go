package route

import (
	"warmroute/plugin/config"
	"warmroute/plugin/prefix"
)

// PickKey is Pick for the steering target hash: it writes the affinity key of a policy that has one
// (config.Policy.HasKey) into d, without endpoints. Where the request has no key, why says what is missing.
func PickKey(cfg *config.Config, req *Request, d *Decision) (why string) {
	d.reset(cfg.Policy)
	d.Reason = ByKey
	if req.Prompt == nil {
		return req.Why
	}
	p := req.Prompt
	d.Key, why = keyed[cfg.Policy](cfg, prefix.Seed(p.Model, p.Adapter, p.Salt, req.Tenant), req)
	d.HasKey = why == ""
	return why
}

// sessionKey is that of a session: a header's value, else what the prompt names as its session, else its first user
// turn.
func sessionKey(seed uint64, req *Request) (key uint64, why string) {
	session := req.Session
	if len(session) == 0 {
		session = req.Prompt.Session
	}
	if len(session) == 0 {
		return 0, "no_session"
	}
	return prefix.Key(seed, session), ""
}

// systemKey is that of the tools and the system prompt.
func systemKey(seed uint64, req *Request) (key uint64, why string) {
	if req.Prompt.SystemLen == 0 {
		return 0, "no_system"
	}
	return prefix.Key(seed, req.Prompt.Text[:req.Prompt.SystemLen]), ""
}

// beginningKey is that of the prompt's first characters.
func beginningKey(seed uint64, req *Request, chars int) uint64 {
	return prefix.Key(seed, req.Prompt.Prefix(chars))
}
