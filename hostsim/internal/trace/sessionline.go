package trace

import "encoding/json"

// sessionLine is a session, or a subagent within one, in delta form: each request's ids are the first LCP of
// the request before it in the list, then New, single ids or [from,to] ranges.
type sessionLine struct {
	ID           string           `json:"id"`
	BlockSize    int              `json:"block_size"`
	ToolTokens   int              `json:"tool_tokens"`
	SystemTokens int              `json:"system_tokens"`
	Requests     []sessionRequest `json:"requests"`
}

type sessionRequest struct {
	T     *float64  `json:"t"` // s since the list's start
	Type  string    `json:"type"`
	Model string    `json:"model"`
	In    *int      `json:"in"`
	Out   *int      `json:"out"`
	Think *float64  `json:"think_time"` // s since the answer before
	LCP   int       `json:"lcp"`
	New   []idRange `json:"new"`

	ToolTokens   int              `json:"tool_tokens"` // of a subagent
	SystemTokens int              `json:"system_tokens"`
	Requests     []sessionRequest `json:"requests"`
}

type idRange [2]uint32

// UnmarshalJSON reads 7 or [7,9].
func (r *idRange) UnmarshalJSON(data []byte) error {
	var one uint32
	if json.Unmarshal(data, &one) == nil {
		*r = idRange{one, one}
		return nil
	}
	var two []uint32
	if err := json.Unmarshal(data, &two); err != nil || len(two) != 2 || two[0] > two[1] {
		return wrong("new", "%s is neither an id nor a range [from,to]", data)
	}
	*r = idRange(two)
	return nil
}
