package health

// Ending is how a request ended at its endpoint.
type Ending uint8

// The endings.
const (
	Answered  Ending = iota // a whole response, with a status below 500
	Cancelled               // the client left: it says nothing of the endpoint
	Failed                  // a response with a status of 500 or above, or a connection cut before it
	Refused                 // no connection
	TimedOut                // no response in time
	Broken                  // the response stopped before its end
	Tried                   // it failed in some way, and the proxy tried the next endpoint
)

// EndingOf is the ending for a response's status: 5xx is a failure of the endpoint, every other status is Answered. The
// proxy's own 502, 503 and 504 (no connection, no response in time) count alike.
func EndingOf(status int) Ending {
	switch {
	case status == 504:
		return TimedOut
	case status == 502 || status == 503:
		return Refused
	case status >= 500:
		return Failed
	}
	return Answered
}

// Denies says whether a request no part of whose response came, and that ended so, was refused by its endpoint.
func (e Ending) Denies() bool { return e != Cancelled && e != TimedOut }
