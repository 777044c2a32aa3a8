package prompt

// Reason says why a body is Broken.
type Reason uint8

const (
	NoReason      Reason = iota
	BrokenJSON           // not JSON, or cut short
	TrailingBytes        // more than one value
	TooDeep              // nested deeper than MaxDepth
	UnknownShape         // JSON, but not of the format's shape
	BadToken             // a token id that is not an integer of 0 to 2³²−1
	NoPrompt             // nothing to prefill: the prompt is absent, null or empty
)

var reasonNames = [...]string{
	NoReason: "", BrokenJSON: "broken_json", TrailingBytes: "trailing_bytes", TooDeep: "too_deep",
	UnknownShape: "unknown_shape", BadToken: "bad_token", NoPrompt: "no_prompt",
}

func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}
