package logs

import (
	"encoding/json"

	"warmroute/hostsim/internal/find"
	"warmroute/hostsim/internal/loose"
)

// several takes the records of one object that holds many, as search APIs answer: Elastic's hits.hits, CloudWatch's events, data or
// results of others, and Loki's streams. false: it holds none.
func (c *collector) several(o loose.Object) bool {
	if c.inside >= 3 {
		return false
	}
	c.inside++
	defer func() { c.inside-- }()
	many := find.Listed(o)
	for _, one := range many {
		if !c.full() {
			c.object(one, nil)
		}
	}
	return many != nil
}

// messages reads the rest of a list of messages, of which first has been read, and makes a body of it.
func messages(dec *json.Decoder, first json.RawMessage) (json.RawMessage, error) {
	all := []*loose.Value{loose.Read(first)}
	for dec.More() {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		all = append(all, loose.Read(raw))
	}
	_, err := dec.Token() // the bracket
	return loose.Marshal(loose.Object{"messages": loose.Made(all)}), err
}
