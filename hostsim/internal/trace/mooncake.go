package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
)

// mooncakeBlock is the block size in tokens of Mooncake's traces (FAST'25, §4.1). Others write the form with blocks of their own size.
const mooncakeBlock = 512

// longHead is how much is looked at where the first line is long: a prompt of a million tokens in blocks of 16.
const longHead = 1 << 20

type mooncakeLine struct {
	Timestamp *float64 `json:"timestamp"` // ms; of Bailian, seconds
	Input     *int     `json:"input_length"`
	Output    *int     `json:"output_length"`
	IDs       []int64  `json:"hash_ids"`
	Chat      *int64   `json:"chat_id"` // of Bailian (alibaba-edu/qwen-bailian-usagetraces-anon, ATC'25)
	Parent    *int64   `json:"parent_chat_id"`
}

func (m *mooncakeLine) check(block int) error {
	if m.Timestamp != nil && m.Chat == nil {
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
	if want := (*m.Input + block - 1) / block; len(m.IDs) != want {
		return wrong("hash_ids", "%d ids for %d tokens; want %d, of blocks of %d tokens", len(m.IDs), *m.Input, want, block)
	}
	return nil
}

// mooncakeSize is the block size, a power of two, that fits the lengths and the ids of most of a trace's first lines; mooncakeBlock if
// no other fits more.
func mooncakeSize(head []byte) int {
	sizes := [...]int{mooncakeBlock, 16, 32, 64, 128, 256, 1024, 2048}
	var fits [len(sizes)]int
	for _, line := range bytes.Split(head, []byte("\n")) {
		var m mooncakeLine
		if json.Unmarshal(line, &m) != nil || m.Input == nil { // blank, bad, or cut
			continue
		}
		for i, size := range sizes {
			if len(m.IDs) == (*m.Input+size-1)/size {
				fits[i]++
			}
		}
	}
	best := 0
	for i := range fits {
		if fits[i] > fits[best] {
			best = i
		}
	}
	return sizes[best]
}

// mooncake reads Mooncake JSONL. Sessions are inferred, see the package comment.
func (l *loader) mooncake() error {
	t := l.trace
	head, _ := l.in.Peek(1 << 16)
	if !bytes.ContainsRune(head, '\n') { // one line is longer
		l.in = bufio.NewReaderSize(l.in, longHead)
		head, _ = l.in.Peek(longHead)
	}
	t.BlockSize = mooncakeSize(head)
	chats := map[int64]int{}  // of Bailian: the session of each request
	ids := map[int64]uint32{} // as recorded → dense
	var owner []int           // of each id: the session that first sent it
	var sessions chains
	return l.lines(func(line []byte) (bool, error) {
		var m mooncakeLine
		if err := json.Unmarshal(line, &m); err != nil {
			return false, err
		}
		if err := m.check(t.BlockSize); err != nil {
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
		if m.Chat != nil {
			before := *m.Chat // where each request of a chat has its name
			if m.Parent != nil {
				before = *m.Parent
			}
			if of, known := chats[before]; known {
				deepest = of
			}
		} else if shared*t.BlockSize >= 2*mooncakeBlock {
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
		if m.Chat != nil {
			chats[*m.Chat] = r.Session
		}
		for len(owner) < len(ids) {
			owner = append(owner, r.Session)
		}
		t.Requests = append(t.Requests, r)
		t.Sessions, t.IDs = len(sessions.last), len(ids)
		return l.full(len(t.Requests)), nil
	})
}
