package logs

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"golang.org/x/text/runes"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/find"
	"warmroute/hostsim/internal/loose"
)

// add keeps a record whose body can be replayed, unless its answer has come and says that it failed. refused says why the body cannot be.
func (c *collector) add(r *call.Call, refused error) {
	if r.ID != "" && c.orphans[r.ID].failed {
		delete(c.orphans, r.ID)
		return
	}
	if refused != nil {
		c.leave("its body cannot be replayed: " + refused.Error())
		return
	}
	if r.Place.File == "" {
		r.Place = c.place()
	}
	if !utf8.Valid(r.Body) { // also where the line had it in base64, or with \x
		r.Body = runes.ReplaceIllFormed().Bytes(r.Body)
		c.spelled(false)
	}
	if first := c.waiting[r.ID]; r.Part > 0 && first != nil {
		c.parts[r.ID] = append(c.parts[r.ID], r)
		return
	}
	c.calls = append(c.calls, r)
	if r.ID != "" {
		a, ok := c.orphans[r.ID]
		if ok {
			r.Answered(a.Answer)
			delete(c.orphans, r.ID)
		} else if c.waiting[r.ID] != nil {
			c.report.Same++
		}
		if !ok || r.Part > 0 { // other parts may come
			c.waiting[r.ID] = r
		}
	}
}

// orphan is an answer that came before its request.
type orphan struct {
	call.Answer
	failed bool
	place  call.Place
}

// refuse takes the request away to which o is the answer, by its custom_id, since it failed.
func (c *collector) refuse(o loose.Object) {
	id := find.CustomID(o)
	if id == "" {
		return
	}
	if find.HasBody(o) {
		return
	}
	if r, ok := c.waiting[id]; ok {
		r.Failed = true
	} else {
		c.orphans[id] = orphan{failed: true}
	}
}

// late takes a line after as many requests as are to be read: it may be the answer to one of them.
func (c *collector) late(line []byte) {
	o := loose.Read(line).Object()
	if c.waiting[find.CustomID(o)] == nil {
		return
	}
	if find.HasBody(o) {
		return
	}
	if why := find.Unusable(o, nil); why != "" {
		c.leave(why)
		c.refuse(o)
	} else {
		c.join(o)
	}
}

// join gives an answer that has a custom_id to its request; false: it is none.
func (c *collector) join(o loose.Object) bool {
	id := find.CustomID(o)
	if id == "" {
		return false
	}
	a := find.Answer(o)
	if r, ok := c.waiting[id]; ok {
		r.Answered(a)
	} else if !c.orphans[id].Counted { // which another part may have
		c.orphans[id] = orphan{a, false, c.place()}
	}
	return true
}

// whole puts the messages of requests together that several records have.
func (c *collector) whole() {
	for id, parts := range c.parts {
		first := c.waiting[id]
		parts = append(parts, first)
		slices.SortStableFunc(parts, func(a, b *call.Call) int { return cmp.Compare(a.Part, b.Part) })
		var all []*loose.Value
		for _, part := range parts {
			all = append(all, part.Object()["messages"].Items()...)
		}
		body := first.Object()
		body["messages"] = loose.Made(all)
		first.Body = loose.Marshal(body)
	}
}
