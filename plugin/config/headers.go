package config

// checkOwnHeader takes a header name that warmroute may set and remove without breaking the message that carries it.
func checkOwnHeader(s string) string {
	if fault := checkHeader(s); fault != "" {
		return fault
	}
	for _, taken := range takenHeaders {
		if s == taken {
			return "has a meaning of its own in HTTP; a name that nothing else uses is needed"
		}
	}
	return ""
}

// takenHeaders are those that frame a message (RFC 9112 section 6), that belong to one connection (RFC 9110 section
// 7.6.1), that name host, path and client, and that describe the body.
var takenHeaders = [...]string{
	"transfer-encoding", "content-length", "trailer",
	"connection", "keep-alive", "proxy-connection", "te", "upgrade", "http2-settings",
	"host", "expect", "via", "forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "location",
	"authorization", "www-authenticate", "proxy-authorization", "proxy-authenticate", "cookie", "set-cookie",
	"content-type", "content-encoding", "content-range", "accept", "accept-encoding",
}

// checkSteerHeader refuses a steering header that is also read, because it is removed from clients' requests.
func (c *Config) checkSteerHeader() *Error {
	steer := c.Steer.Header
	if steer == ClusterHeader && c.Steer.Cluster != "" {
		return &Error{Field: "steer.header", Msg: quote(steer) + " carries steer.cluster"}
	}
	for i, name := range c.SessionHeaders {
		if name == steer {
			return &Error{Field: "steer.header", Msg: quote(steer) + " is already " + index("session_headers", i)}
		}
	}
	if steer == c.AskHeader {
		return &Error{Field: "steer.header", Msg: quote(steer) + " is already ask_header"}
	}
	if steer == c.PolicyHeader {
		return &Error{Field: "steer.header", Msg: quote(steer) + " is already policy_header"}
	}
	if steer == c.TenantHeader {
		return &Error{Field: "steer.header", Msg: quote(steer) + " is already tenant_header"}
	}
	return nil
}
