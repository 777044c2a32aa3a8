package trace

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
)

// Sharing is the assumption about which prompt beginnings coding sessions share. The trace does not record it, because
// block ids are local to a session; it does record the lengths of tool definitions and system prompts in tokens.
type Sharing uint8

// The kinds of sharing. ShareTools is the default: sessions (or subagents) of one model whose tool definitions
// have the same number of tokens are assumed to share them, at the beginning of the prompt; the system prompt
// after them names the working directory and is private. ShareAll is the upper limit: all share one text up to
// the end of their system prompts. ShareNothing is the lower limit.
const (
	ShareTools Sharing = iota
	ShareAll
	ShareNothing
)

// maxLocalID bounds the block ids of one session, and so the length of a range of ids.
const maxLocalID = 1 << 22

// sessions reads coding sessions. Pauses between their starts are drawn from an exponential distribution.
func (l *loader) sessions() error {
	rng := rand.New(rand.NewPCG(l.options.Seed, 1))
	shared := map[string]uint32{} // first id of each common text
	start := 0.0
	return l.lines(func(line []byte) (bool, error) {
		var s sessionLine
		if err := json.Unmarshal(line, &s); err != nil {
			return false, err
		}
		size := l.trace.BlockSize
		if size == 0 {
			size = s.BlockSize
		}
		if s.BlockSize < 1 || s.BlockSize > 1<<16 || s.BlockSize != size {
			return false, wrong("block_size", "%d; the sessions of a file have one size within 1 to %d", s.BlockSize, 1<<16)
		}
		b := &sessionBuilder{loader: l, base: uint32(l.trace.IDs), size: size, shared: shared, session: l.trace.Sessions}
		b.next = b.base
		list := sessionList{tools: s.ToolTokens, system: s.SystemTokens, requests: s.Requests, field: "requests", after: -1}
		if err := b.list(list, ns(start)); err != nil {
			return false, err
		}
		l.trace.BlockSize = size
		l.trace.Requests = append(l.trace.Requests, b.out...)
		l.trace.Sessions++
		l.trace.IDs = int(b.next)
		for key, first := range b.fresh {
			shared[key] = first
		}
		start += rng.ExpFloat64() / l.options.SessionRate
		return l.full(l.trace.Sessions), nil
	})
}

// sessionBuilder makes the requests of one session.
type sessionBuilder struct {
	*loader
	base, next uint32 // ids of this session begin at base; next is free
	size       int
	session    int
	shared     map[string]uint32
	fresh      map[string]uint32 // what this session adds to shared
	local      map[uint32]uint32 // ids as recorded → of the trace
	out        []Request
}

// sessionList is a session's own requests or a subagent's.
type sessionList struct {
	tools, system int
	requests      []sessionRequest
	field         string
	after         int   // index in Trace.Requests of the request before the first, -1 for none
	lead          int64 // ns from that request to the list's start
}

// list appends the requests of a list that starts at ns start.
func (b *sessionBuilder) list(l sessionList, start int64) error {
	var prev Blocks
	var prevIDs []uint32
	after, at, last := l.after, start, 0.0
	first := true
	for i := range l.requests {
		r := &l.requests[i]
		field := func(name string) string { return fmt.Sprintf("%s[%d].%s", l.field, i, name) }
		if err := checkSeconds(field("t"), r.T); err != nil {
			return err
		}
		// The gap since the request before, cut to MaxGap: a session that is idle for longer is still only idle.
		gap := min(max(0, ns(*r.T)-ns(last)), b.options.MaxGap.Nanoseconds())
		if r.Type == "subagent" {
			if l.field != "requests" {
				return wrong(field("type"), "a subagent within a subagent")
			}
			sub := sessionList{r.ToolTokens, r.SystemTokens, r.Requests, field("requests"), after, gap}
			if err := b.list(sub, at+gap); err != nil {
				return err
			}
			continue
		}
		ids, err := r.toDelta(prevIDs, field)
		if err != nil {
			return err
		}
		prevIDs = ids
		blocks, err := b.blocks(r, prev, field)
		if err != nil {
			return err
		}
		think := gap
		if first {
			blocks = b.share(blocks, r, l.tools, l.system)
			think += l.lead
			first = false
		}
		prev = blocks
		at += gap
		last = *r.T
		q := Request{At: at, Session: b.session, After: after, InputTokens: *r.In, OutputTokens: max(1, *r.Out)}
		q.Think = think
		if r.Think != nil && think == gap { // a subagent's first says 0, of its own start
			q.Think = min(ns(*r.Think), b.options.MaxGap.Nanoseconds())
		}
		if after < 0 {
			q.Think = 0
		}
		q.Blocks = blocks
		if *r.In%b.size > 0 { // only full blocks are recorded; the tail is this request's alone
			q.Blocks = blocks.cut(blocks.Len(), 1).add(b.next)
			b.next++
		}
		after = len(b.trace.Requests) + len(b.out)
		b.out = append(b.out, q)
	}
	return nil
}

// blocks gives the ids of a request's full blocks, given those of the one before in the list.
func (b *sessionBuilder) blocks(r *sessionRequest, prev Blocks, field func(string) string) (Blocks, error) {
	if err := checkTokens(field("in"), r.In, 1); err != nil {
		return nil, err
	}
	if err := checkTokens(field("out"), r.Out, 0); err != nil {
		return nil, err
	}
	if r.Think != nil {
		if err := checkSeconds(field("think_time"), r.Think); err != nil {
			return nil, err
		}
	}
	if n := prev.Len(); r.LCP < 0 || r.LCP > n {
		return nil, wrong(field("lcp"), "%d is not within the 0 to %d blocks of the request before", r.LCP, n)
	}
	want, n := *r.In/b.size, r.LCP
	for _, ids := range r.New {
		if ids[1] >= maxLocalID {
			return nil, wrong(field("new"), "id %d is not below %d", ids[1], maxLocalID)
		}
		n += int(ids[1]-ids[0]) + 1
	}
	if n != want {
		return nil, wrong(field("new"), "%d blocks for %d tokens; want %d full ones", n, *r.In, want)
	}
	out := prev.cut(r.LCP, len(r.New)+1)
	for _, ids := range r.New {
		for id := ids[0]; id <= ids[1]; id++ {
			out = out.add(b.id(id))
		}
	}
	return out, nil
}

// id gives the trace's id for one that the session recorded.
func (b *sessionBuilder) id(recorded uint32) uint32 {
	if b.local == nil {
		b.local = map[uint32]uint32{}
	}
	id, ok := b.local[recorded]
	if !ok {
		id = b.next
		b.next++
		b.local[recorded] = id
	}
	return id
}

// share replaces the leading ids of a list's first request by those that other sessions use for the same
// text; later requests take them over.
func (b *sessionBuilder) share(blocks Blocks, r *sessionRequest, tools, system int) Blocks {
	var key string
	n := tools / b.size
	switch b.options.Sharing {
	case ShareNothing:
		return blocks
	case ShareAll:
		key, n = "all", (tools+system)/b.size
	default:
		key = fmt.Sprintf("%s %d", r.Model, tools)
	}
	n = min(n, blocks.Len())
	if n < 1 {
		return blocks
	}
	ids := blocks.Append(nil)
	first, ok := b.shared[key]
	if !ok {
		first, ok = b.fresh[key]
	}
	if !ok {
		// Room for the longest prefix that any session may have, so that a longer one extends a shorter.
		first = b.next
		b.next += max(uint32(n), maxShared/uint32(b.size))
		if b.fresh == nil {
			b.fresh = map[string]uint32{}
		}
		b.fresh[key] = first
	}
	n = min(n, maxShared/b.size)
	out := Blocks{{first, uint32(n)}}
	for _, id := range ids[n:] {
		out = out.add(id)
	}
	for _, recorded := range r.New { // later requests may list them again
		for id := recorded[0]; id <= recorded[1] && n > 0; id++ {
			b.local[id] = first
			first++
			n--
		}
	}
	return out
}

// maxShared is the most tokens of a prefix that sessions share.
const maxShared = 1 << 16
