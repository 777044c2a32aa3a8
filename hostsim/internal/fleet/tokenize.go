package fleet

import (
	"encoding/json"
	"io"
	"net/http"

	"warmroute/hostsim/internal/render"
)

// handleTokenize is POST /tokenize of a chat or a completion, as vLLM answers it: the token ids, chat template included.
func (s *Server) handleTokenize(w http.ResponseWriter, r *http.Request) {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		writeError(w, render.BadRequest("", "reading the body: %s", err))
		return
	}
	kind := render.Completions
	var form struct {
		Messages json.RawMessage `json:"messages"`
	}
	if json.Unmarshal(data, &form) == nil && !render.Empty(form.Messages) {
		kind = render.Chat
	}
	_, prompts, bad := render.Parse(data, kind, s.model, s.adapters)
	if bad == nil && len(prompts) != 1 {
		bad = render.BadRequest("prompt", "one prompt can be tokenized at a time, got %d.", len(prompts))
	}
	if bad != nil {
		writeError(w, bad)
		return
	}
	writeJSON(w, http.StatusOK, map[string]any{"count": len(prompts[0]), "max_model_len": s.profile.MaxModelLen, "tokens": prompts[0], "token_strs": nil})
}
