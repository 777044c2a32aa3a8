// Package replay sends requests through the gateway's logic and says what it decided: through the shipped module on a
// simulated proxy, or through the same Go code natively. Both give the same decisions for the same requests in the same
// order; a differential test says so.
package replay

// Request is what a client sends.
type Request struct {
	Path    string
	Headers [][2]string // beside :method, :path, :authority and content-type, which are those of a JSON POST
	Body    []byte
	Chunk   int // bytes of the body that arrive at a time; 0: all at once
}

// Ticket is a request under way.
type Ticket struct {
	Decision  string   // as the module's property says it: name=value pairs joined by ';'; "" when it was passed on unsteered
	Endpoints []string // addresses to try, in order; for the target cluster, the one cluster's name
	end       func(Answer)
}

// End tells the gateway the answer. It must be called once.
func (t *Ticket) End(a Answer) { t.end(a) }

// Answer is what a replica sent back.
type Answer struct {
	Status      int
	ContentType string
	Body        []byte
	Served      string // address of the replica
}

// Engine decides requests. It belongs to one goroutine.
type Engine interface {
	// Begin shows r to a worker, 0 ≤ worker < the engine's workers.
	Begin(worker int, r *Request) (*Ticket, error)
	Close() error
}
