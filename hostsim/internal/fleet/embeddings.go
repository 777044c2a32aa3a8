package fleet

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"net/http"

	"warmroute/hostsim/internal/render"
)

// embed answers with a vector for each text: of length one, drawn by the text, so that the same text has the same vector.
// Likeness of meaning is not in it.
func (g *generation) embed(ctx context.Context, w http.ResponseWriter, b *render.Body) {
	if !g.await(ctx) {
		return
	}
	data := make([]any, len(g.parts))
	for i, p := range g.parts {
		var vector any = unit(p.hash, b.Numbers())
		if b.EncodingFormat == "base64" {
			bytes, _ := binary.Append(nil, binary.LittleEndian, vector) // float32 has a size
			vector = base64.StdEncoding.EncodeToString(bytes)
		}
		data[i] = object{"object": "embedding", "index": i, "embedding": vector}
	}
	n := g.usage().PromptTokens
	writeJSON(w, http.StatusOK, object{
		"id": g.id, "object": "list", "created": g.created, "model": g.model, "data": data,
		"usage": object{"prompt_tokens": n, "total_tokens": n, "completion_tokens": 0, "prompt_tokens_details": nil},
	})
}

// unit draws a vector of length one.
func unit(seed uint64, n int) []float32 {
	draw := rand.New(rand.NewPCG(seed, 0))
	v, square := make([]float32, n), 0.0
	for i := range v {
		x := draw.NormFloat64()
		v[i], square = float32(x), square+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(square))
	}
	return v
}
