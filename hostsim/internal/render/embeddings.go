package render

// Numbers of an embedding, unless the request has others.
const (
	embeddingNumbers     = 256
	mostEmbeddingNumbers = 4096
)

// Numbers is how many an embedding has.
func (b *Body) Numbers() int {
	if b.Dimensions != nil {
		return *b.Dimensions
	}
	return embeddingNumbers
}

// embeddingPrompts are the texts of an embeddings request; of bad settings it names the member.
func (b *Body) embeddingPrompts() ([][]uint32, *Error) {
	if n := b.Numbers(); n < 1 || n > mostEmbeddingNumbers {
		return nil, BadRequest("dimensions", "dimensions must be 1 to %d, got %d.", mostEmbeddingNumbers, n)
	}
	if f := b.EncodingFormat; f != "" && f != "float" && f != "base64" {
		return nil, BadRequest("encoding_format", "encoding_format must be float or base64, got %q.", f)
	}
	prompts, err := completionPrompts(b.Input, "input")
	if err != nil {
		return nil, BadRequest("input", "%s", err)
	}
	return prompts, nil
}
