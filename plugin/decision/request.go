package decision

import (
	"warmroute/plugin/config"
	"warmroute/plugin/prompt"
	"warmroute/plugin/why"
)

// Request is what a policy may know of a request.
type Request struct {
	Prompt  *prompt.Prompt // nil: nothing is known of the prompt, route by load
	Why     why.Code       // why Prompt is nil
	Tenant  []byte         // value of the tenant header; isolates caches like cache_salt does
	Session []byte         // value of the session header; goes before the prompt's own session
	Model   []byte         // of the body or the path, also if Prompt is nil; empty: not known
	Stored  []byte         // name of a response that a server keeps, and that it is about; empty: it is about none
	Owner   uint64         // a number of the tenant that such names are of; 0: there are no tenants
	Pool    int            // inspect.Head's
	Choice  Choice         // of the policy, by the request
	Length  int            // bytes of the whole body by its content-length; 0: not known
	Now     int64          // nanoseconds
	Held    int64          // of them it has waited at the gateway
	Due     bool           // its body takes too long to come: it is decided by what has
}

// Choice is what a request says of its policy: 0 nothing, ChoiceOff that it is not to be steered, else ChoiceOf a policy.
type Choice uint8

// ChoiceOff says that the proxy is to choose by itself.
const ChoiceOff Choice = 255

// ChoiceOf is the choice of a policy.
func ChoiceOf(p config.Policy) Choice { return Choice(p) + 1 }

// Policy is the policy that is chosen; false if none is.
func (c Choice) Policy() (p config.Policy, ok bool) {
	return config.Policy(c) - 1, c > 0 && config.Policy(c) <= config.Policies
}
