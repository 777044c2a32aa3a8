package trace

import "encoding/json"

// sessionLine is a session as kv-cache-tester publishes it (docs/trace_replay_tester.md there), where each request has
// all its ids in hash_ids; or the same in delta form: its ids are the first lcp of the request before it in the list,
// then those of new, single ids or [from,to] ranges. Both lines are the same session:
//
//	{"id":"a","block_size":64,"tool_tokens":130,"system_tokens":40,"requests":[
//	  {"t":0,"type":"n","model":"m","in":200,"out":9,"hash_ids":[1,2,3]},
//	  {"t":7.5,"type":"n","model":"m","in":330,"out":4,"think_time":2,"hash_ids":[1,2,3,8,9]}]}
//	{"id":"a","block_size":64,"tool_tokens":130,"system_tokens":40,"requests":[
//	  {"t":0,"type":"n","model":"m","in":200,"out":9,"lcp":0,"new":[[1,3]]},
//	  {"t":7.5,"type":"n","model":"m","in":330,"out":4,"think_time":2,"lcp":3,"new":[8,9]}]}
//
// (on one line each). An id stands for a full block, so that there are in ÷ block_size of them, rounded down; ids are
// taken to be the session's own, whatever hash_id_scope says. An entry of type subagent has tool_tokens, system_tokens and requests of its own, with t from its
// start; other members are not read.
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
	IDs   []uint32  `json:"hash_ids"` // all, instead of LCP and New

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

// toDelta gives a request that has all its ids the form of one that has what is new since prev, the ids of the one
// before; it returns its ids, nil where it had none.
func (r *sessionRequest) toDelta(prev []uint32, field func(string) string) ([]uint32, error) {
	ids := r.IDs
	if ids == nil {
		return nil, nil
	}
	if r.LCP != 0 || r.New != nil {
		return nil, wrong(field("hash_ids"), "there are lcp or new as well; want one form")
	}
	for r.LCP < min(len(ids), len(prev)) && ids[r.LCP] == prev[r.LCP] {
		r.LCP++
	}
	for _, id := range ids[r.LCP:] {
		if n := len(r.New); n > 0 && id > 0 && r.New[n-1][1] == id-1 {
			r.New[n-1][1] = id
		} else {
			r.New = append(r.New, idRange{id, id})
		}
	}
	return ids, nil
}
