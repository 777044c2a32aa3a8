package gossip

import "warmroute/plugin/news"

// Fault is what was wrong with an answer, or an ask. "" is nothing.
type Fault string

// The faults.
const (
	NoAnswer Fault = "no_answer" // none came
	Refused  Fault = "refused"   // its answer was an error: it has no such path, no secret, or another one
	Version  Fault = "version"   // of the format
	Hashing  Fault = "dialect"   // it hashes prompts otherwise
	Secret   Fault = "secret"    // the code is wrong
	Identity Fault = "identity"  // the certificate is no gateway's
	Format   Fault = "format"    // of no known form
	Replayed Fault = "replayed"  // an ask that has come before
	Unknown  Fault = "pool"      // there is no such pool here, but may be later
)

// What a bundle of answers says of one of them, as a status that no HTTP answer has: it has a code, and so is not for anybody
// on the way to say.
const (
	NoPool  = -1 - iota // the other gateway has no such pool yet
	Later               // it answers with the next ask
	Newer               // the bundle is of another version
	Forged              // the bundle's code is wrong
	Foreign             // the bundle is of no known form
)

// faultOfStatus is the fault of an answer that is not 200.
func faultOfStatus(status int) Fault {
	switch status {
	case Newer:
		return Version
	case Forged:
		return Secret
	case Foreign:
		return Format
	case 0, 502, 503, 504:
		return NoAnswer
	}
	return Refused
}

func faultOf(err error) Fault {
	switch err {
	case nil:
		return ""
	case news.ErrVersion:
		return Version
	case news.ErrDialect:
		return Hashing
	case news.ErrSecret:
		return Secret
	}
	return Format
}
