package fleet

import (
	"encoding/json"
	"net/http"

	"warmroute/hostsim/internal/render"
)

// writeError sends {"error": {message, type, param, code}}.
func writeError(w http.ResponseWriter, e *render.Error) {
	var param any
	if e.Param != "" {
		param = e.Param
	}
	writeJSON(w, e.Status, map[string]any{"error": map[string]any{
		"message": e.Message, "type": e.Kind, "param": param, "code": e.Status,
	}})
}

// writeErrorAs is writeError in the form of an API: Anthropic's has its own.
func writeErrorAs(w http.ResponseWriter, e *render.Error, kind render.API) {
	if kind != render.Messages && kind != render.Counting {
		writeError(w, e)
		return
	}
	writeJSON(w, e.Status, map[string]any{"type": "error", "error": map[string]any{"type": e.Kind, "message": e.Message}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error means that the client has disconnected
}
