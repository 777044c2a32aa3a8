package logs

import (
	"warmroute/hostsim/internal/loose"
)

// add keeps a record whose body can be replayed, unless its answer has come and says that it failed. refused says why the body cannot be.
func (c *collector) add(r *record, refused error) {
	if r.id != "" && c.orphans[r.id].failed {
		delete(c.orphans, r.id)
		return
	}
	if refused != nil {
		c.leave("its body cannot be replayed: " + refused.Error())
		return
	}
	if r.place.file == "" {
		r.place = place{c.name, c.line}
	}
	c.records = append(c.records, r)
	if r.id != "" {
		if a, ok := c.orphans[r.id]; ok {
			r.answered(a.answer)
			delete(c.orphans, r.id)
		} else {
			if c.waiting[r.id] != nil {
				c.report.Same++
			}
			c.waiting[r.id] = r
		}
	}
}

// object is the body of a record, which is compact.
func (r *record) object() loose.Object { return loose.KnownTight(r.body).Object() }

// orphan is an answer that came before its request.
type orphan struct {
	answer
	failed bool
	file   string
	line   int
}

func (r *record) answered(a answer) {
	if r.output == 0 || !r.measured {
		r.output, r.measured, r.response, r.said = a.tokens, a.counted, a.id, a.said
	}
}

// refuse takes the request away to which o is the answer, by its custom_id, since it failed.
func (c *collector) refuse(o loose.Object) {
	id := o.Get(idNames).Text()
	if id == "" {
		return
	}
	if body, _, _ := findBody(o, deep); body != nil {
		return
	}
	if r, ok := c.waiting[id]; ok {
		r.failed = true
	} else {
		c.orphans[id] = orphan{failed: true}
	}
}

// late takes a line after as many requests as are to be read: it may be the answer to one of them.
func (c *collector) late(line []byte) {
	o := loose.Read(line).Object()
	if c.waiting[o.Get(idNames).Text()] == nil {
		return
	}
	if body, _, _ := findBody(o, deep); body != nil {
		return
	}
	if why := unusable(o, nil); why != "" {
		c.leave(why)
		c.refuse(o)
	} else {
		c.join(o)
	}
}

// join gives an answer that has a custom_id to its request; false: it is none.
func (c *collector) join(o loose.Object) bool {
	id := o.Get(idNames).Text()
	if id == "" {
		return false
	}
	a := findAnswer(o)
	if r, ok := c.waiting[id]; ok {
		r.answered(a)
	} else {
		c.orphans[id] = orphan{a, false, c.name, c.line}
	}
	return true
}
