package vllmpages

import "encoding/json"

// Models is the list of models of a replica that serves one with these adapters.
func Models(model string, adapters []string) []byte {
	page, err := json.Marshal(ModelList(model, adapters, 0, 0))
	if err != nil {
		panic(err) // strings and numbers only
	}
	return page
}

// ModelList is vLLM's list.
func ModelList(model string, adapters []string, longest int, created int64) map[string]any {
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
