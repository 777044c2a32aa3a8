package fleet

import (
	"encoding/json"
	"net/http"
	"time"
)

func (s *Server) handleModels(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, models(s.model, s.adapters, s.profile.MaxModelLen, time.Now().Unix()))
}

// ModelsPage is the list of models of a replica that serves one with these adapters.
func ModelsPage(model string, adapters []string) []byte {
	page, err := json.Marshal(models(model, adapters, 0, 0))
	if err != nil {
		panic(err) // strings and numbers only
	}
	return page
}

// models is vLLM's list.
func models(model string, adapters []string, longest int, created int64) map[string]any {
	list := []any{map[string]any{
		"id": model, "object": "model", "created": created, "owned_by": "vllm",
		"root": model, "parent": nil, "max_model_len": longest,
	}}
	for _, name := range adapters {
		list = append(list, map[string]any{
			"id": name, "object": "model", "created": created, "owned_by": "vllm",
			"root": "/adapters/" + name, "parent": model, "max_model_len": nil,
		})
	}
	return map[string]any{"object": "list", "data": list}
}
