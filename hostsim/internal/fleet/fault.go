package fleet

import (
	"encoding/json"
	"net"
	"net/http"
	"sync"

	"warmroute/hostsim/internal/render"
)

// fault is how a replica misbehaves, set by POST /fault. On generation routes, "error" answers with status when the
// first token would have come, "fast_error" at once, "hang" does not answer until the fault changes or the client
// disconnects, "slow" multiplies step times by factor. "refuse" closes every connection, except those to /fault.
type fault struct {
	Mode   string  `json:"mode"`   // ok, error, fast_error, hang, refuse, slow
	Status int     `json:"status"` // 400–599 for error and fast_error; 500 unless given
	Factor float64 `json:"factor"` // > 0 for slow; 2 unless given
}

// faults holds the current fault; changed is closed when another replaces it.
type faults struct {
	mu      sync.Mutex
	now     fault
	changed chan struct{}
}

func newFaults() *faults {
	return &faults{now: fault{Mode: "ok"}, changed: make(chan struct{})}
}

func (f *faults) get() (fault, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now, f.changed
}

func (f *faults) set(to fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = to
	close(f.changed)
	f.changed = make(chan struct{})
}

// handleFault is POST /fault.
func (s *Server) handleFault(w http.ResponseWriter, r *http.Request) {
	f := fault{Status: http.StatusInternalServerError, Factor: 2}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&f); err != nil {
		writeError(w, render.BadRequest("", "fault: %s", err))
		return
	}
	switch f.Mode {
	case "ok", "error", "fast_error", "hang", "refuse", "slow":
	default:
		writeError(w, render.BadRequest("mode", "mode: %q is none of ok, error, fast_error, hang, refuse, slow", f.Mode))
		return
	}
	if f.Status < 400 || f.Status > 599 {
		writeError(w, render.BadRequest("status", "status: %d is not within 400 to 599", f.Status))
		return
	}
	if !(f.Factor > 0) {
		writeError(w, render.BadRequest("factor", "factor: %v is not above 0", f.Factor))
		return
	}
	factor := 1.0
	if f.Mode == "slow" {
		factor = f.Factor
	}
	s.eachDriver(func(d *driver) { d.setSlowdown(factor) })
	s.faults.set(f)
	writeJSON(w, http.StatusOK, f)
}

// injected is the error that a faulty replica answers.
func (f fault) injected() *render.Error {
	return &render.Error{Status: f.Status, Kind: "InternalServerError", Message: "fault injected"}
}

// dropConnection resets the client's connection without an answer.
func dropConnection(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // net/http's way to close a connection that cannot be hijacked
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
