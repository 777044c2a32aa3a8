package scout

import "bytes"

// Call is an HTTP GET to be made.
type Call struct {
	Cluster   string // of the proxy, to send it to
	Authority string
	Path      string
	Endpoint  string // clusters.Name of the host to send it to, by config.EndpointHeader and Header; "": the cluster chooses
	Header    string // that the cluster takes the host of a request from, where that is another; ""
	News      string // value of gossip.Header; "" for other calls
	Secret    int    // that News is under, of this gateway's
	Timeout   int64  // nanoseconds
	Hosts     string // the cluster that the admin interface is asked for; "" for other calls
	Known     int    // hosts that it is known to have
	Token     Token
}

// Token identifies a Call; its response comes with the same one.
type Token struct {
	Endpoint int // index; or one of the following
	Pool     int // the caller's, to distinguish the scouts of several pools
	epoch    uint32
	models   bool // its models are asked for, not its metrics
}

// What a Token has in an endpoint's place: the admin interface, asked for the endpoints or for the gateways; from gatewayToken
// down, the gateways.
const (
	hostsToken   = -1
	peersToken   = -2
	gatewayToken = -3
)

// IsModels says whether the call asks an endpoint for its models.
func (t Token) IsModels() bool { return t.models }

// IsGateway says whether the call asks another gateway for its news.
func (t Token) IsGateway() bool { return t.Endpoint <= gatewayToken }

// Caller makes calls. The response goes to HandleResponse, also if there is none.
type Caller interface {
	// Get reports whether the call could be made; if not, no response follows.
	Get(c Call) bool
}

// Response is the response to a Call.
type Response struct {
	Status int // of HTTP; 0: there was no response
	Size   int // bytes of the body
	// Read returns at most size bytes of the body, from an offset on.
	Read func(from, size int) []byte
}

// fault is noAnswer where nobody answered (503 and 504 are the proxy's own), refused where the status is another than 200.
func (r *Response) fault(noAnswer, refused Fault) Fault {
	switch r.Status {
	case 200:
		return ""
	case 0, 503, 504:
		return noAnswer
	}
	return refused
}

// unreachable says whether no connection could be made, by the text of the proxy's own 503 (Envoy: "reset reason: remote connection
// failure"). It has others for what it did not try, as nobody is healthy or too much is under way; and a slow server answers late.
func (r *Response) unreachable() bool {
	return r.Status == 503 && r.Size > 0 && bytes.Contains(r.Read(0, min(r.Size, piece)), []byte("connection failure"))
}

// copy writes the body to a reader of pages, piece by piece.
func (r *Response) copy(to interface{ Write(piece []byte) }) {
	for from := 0; from < r.Size; from += piece {
		to.Write(r.Read(from, min(piece, r.Size-from)))
	}
}

// Fault is what went wrong, for the metrics and the log. "" is nothing.
type Fault string
