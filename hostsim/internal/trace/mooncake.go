package trace

import "encoding/json"

// mooncakeBlock is the block size in tokens of Mooncake's traces (FAST'25, §4.1).
const mooncakeBlock = 512

type mooncakeLine struct {
	Timestamp *float64 `json:"timestamp"` // ms
	Input     *int     `json:"input_length"`
	Output    *int     `json:"output_length"`
	IDs       []int64  `json:"hash_ids"`
}

func (m *mooncakeLine) check() error {
	if m.Timestamp != nil {
		*m.Timestamp /= 1e3
	}
	if err := checkSeconds("timestamp", m.Timestamp); err != nil {
		return err
	}
	if err := checkTokens("input_length", m.Input, 1); err != nil {
		return err
	}
	if err := checkTokens("output_length", m.Output, 0); err != nil {
		return err
	}
	if want := (*m.Input + mooncakeBlock - 1) / mooncakeBlock; len(m.IDs) != want {
		return wrong("hash_ids", "%d ids for %d tokens; want %d", len(m.IDs), *m.Input, want)
	}
	return nil
}

// mooncake reads Mooncake JSONL. Sessions are inferred, see the package comment.
func (l *loader) mooncake() error {
	t := l.trace
	t.BlockSize = mooncakeBlock
	ids := map[int64]uint32{} // as recorded → dense
	var owner []int           // of each id: the session that first sent it
	var sessions chains
	return l.lines(func(line []byte) (bool, error) {
		var m mooncakeLine
		if err := json.Unmarshal(line, &m); err != nil {
			return false, err
		}
		if err := m.check(); err != nil {
			return false, err
		}
		r := Request{At: ns(*m.Timestamp), InputTokens: *m.Input, OutputTokens: max(1, *m.Output)}
		shared := 0
		for i, id := range m.IDs {
			dense, ok := ids[id]
			if !ok {
				dense = uint32(len(ids))
				ids[id] = dense
			} else if shared == i {
				shared++
			}
			r.Blocks = r.Blocks.add(dense)
		}
		deepest := -1
		if shared >= 2 {
			deepest = owner[ids[m.IDs[shared-1]]]
		}
		r.Session, r.After = sessions.follow(deepest, len(t.Requests))
		if r.After >= 0 && t.Requests[r.After].At > r.At {
			r.After = -1 // an answer cannot wait for one that is asked later
		}
		if r.After >= 0 {
			// The recorded gap; how much of it the answer took is not recorded.
			r.Think = r.At - t.Requests[r.After].At
		}
		for len(owner) < len(ids) {
			owner = append(owner, r.Session)
		}
		t.Requests = append(t.Requests, r)
		t.Sessions, t.IDs = len(sessions.last), len(ids)
		return l.full(len(t.Requests)), nil
	})
}
