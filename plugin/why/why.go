// Package why names why a request is passed on unsteered, or routed by load instead of by its prompt. Each is a metric
// label and a word in the access log: the set is small and fixed.
package why

// Code is one of them, in snake_case. "" means that there is nothing to say.
type Code string

// Passed on unsteered, to the proxy's own load balancing.
const (
	NotPost     Code = "not_post"
	NotLLM      Code = "not_llm"      // a path that is not known
	NoEndpoints Code = "no_endpoints" // the pool is empty
	NoPool      Code = "no_pool"      // no pool has the request's cluster or model
	Off         Code = "off"          // its pool is not steered, or it says so itself
	Stalled     Code = "stalled"      // held for decide_timeout without progress
)

// Routed by load, because the prompt is not read.
const (
	NoBody         Code = "no_body"
	ExpectContinue Code = "expect_continue" // the client waits for leave to send its body
	NotJSON        Code = "not_json"        // by its content type
	Encoded        Code = "encoded"         // compressed, for instance
	Busy           Code = "busy"            // max_inspecting requests, or max_held_bytes, are being held
	NoBodyShown    Code = "no_body_shown"   // the proxy shows no bodies of held requests
	Slow           Code = "slow"            // the body took too long to come
)

// Routed by load, because the body has no prompt that can be used.
const (
	BrokenJSON    Code = "broken_json"    // not JSON, or cut short
	TrailingBytes Code = "trailing_bytes" // more than one value
	TooDeep       Code = "too_deep"       // nested too deep
	UnknownShape  Code = "unknown_shape"  // JSON, but not of the format's shape
	BadToken      Code = "bad_token"      // a token id that is not a whole number of 32 bits
	NoPrompt      Code = "no_prompt"      // the path takes none, or it is absent, null or empty
)

// Routed by load, because the prompt has no key that the policy goes by.
const (
	NoSession Code = "no_session"
	NoSystem  Code = "no_system"
)

// NoRank: routed by load, because servers obey no data-parallel rank in this API, and choose one by load.
const NoRank Code = "no_rank"

// NoModel: routed by what has come of the body, without the model on which the choice depends.
const NoModel Code = "no_model"

// Passed and ByLoad are all codes.
var (
	Passed = []Code{NotPost, NotLLM, NoEndpoints, NoPool, Off, Stalled}
	ByLoad = []Code{
		NoBody, ExpectContinue, NotJSON, Encoded, Busy, NoBodyShown, Slow,
		BrokenJSON, TrailingBytes, TooDeep, UnknownShape, BadToken, NoPrompt, NoSession, NoSystem, NoRank, NoModel,
	}
)
