package logs

import (
	"slices"
	"unicode/utf8"

	"warmroute/hostsim/internal/call"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/find"
	"warmroute/hostsim/internal/layout"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/serverlog"
	"warmroute/hostsim/internal/trace"
)

// text takes a line, or a value that stands in several, and what was found in it; nil: it has not been searched. Where a line is not one
// record, each of those that stand in it one behind another is taken.
func (c *collector) text(line []byte, all []find.Found) {
	if all == nil {
		all = find.Line(line, c.options.Accept)
	}
	if len(all) != 1 || all[0].Why != find.CutShort {
		c.record(line, all)
		return
	}
	for v := layout.NewValues(line); !v.Ended(); {
		switch one, _ := v.Next(); {
		case one == nil:
		case c.full():
			c.late(one)
		default:
			c.record(one, find.Line(one, c.options.Accept))
		}
	}
}

// record takes one record, and what was found in it.
func (c *collector) record(text []byte, all []find.Found) {
	if c.first == nil {
		c.first = slices.Clone(text)
	}
	c.report.Lines++
	if c.recorded == 0 && trace.HasRecord(text) {
		c.recorded = c.line
	}
	c.garbled = false
	c.spelled(utf8.Valid(text))
	for _, f := range all {
		if !c.full() {
			c.take(f)
		}
	}
}

// spelled counts a record, once, that has bytes that are not UTF-8.
func (c *collector) spelled(valid bool) {
	if valid || c.garbled {
		return
	}
	if c.garbled = true; c.report.Garbled == 0 {
		c.report.garbled = c.place()
	}
	c.report.Garbled++
}

// object takes a record that is JSON. outer are the times that the wrapping has.
func (c *collector) object(o loose.Object, outer []clocks.Reading) {
	c.take(find.Object(o, outer, c.options.Accept))
}

// take takes what was found in a record.
func (c *collector) take(f find.Found) {
	switch {
	case f.Call != nil:
		c.add(f.Call, f.Refused)
	case f.Why != "":
		if f.Why == find.Unknown && c.server.Begun() {
			return
		}
		c.leave(f.Why)
		if f.Answer != nil {
			c.refuse(f.Answer)
		}
	case f.Messages != nil:
		c.converse(f.Object, f.Messages)
	case f.Text != "":
		c.told(c.server.Line(f.Text, f.Outer, c.place()))
	case serverlog.IsObject(f.Object):
		c.told(c.server.Object(f.Object))
	default:
		c.bodiless(f.Object, f.Outer)
	}
}

// told takes what a server's log says of a request.
func (c *collector) told(t serverlog.Found) {
	switch {
	case t.Call != nil:
		c.add(t.Call, t.Call.Judge(c.options.Accept))
	case t.Why != "":
		c.leave(t.Why)
	}
}

// bodies takes those that a server's log has as they came.
func (c *collector) bodies() {
	for b := range c.server.Bodies() {
		switch c.name, c.line = b.Place.File, b.Place.Line; {
		case c.full():
			return
		case b.Why != "":
			c.leave(b.Why)
		default:
			c.object(b.Object, b.Clocks)
		}
	}
}

// place is that of the record that is being taken.
func (c *collector) place() call.Place { return call.Place{File: c.name, Line: c.line} }

// bodiless takes a record without a request's body: an answer to one, a message of a conversation, or an object of many records.
func (c *collector) bodiless(o loose.Object, outer []clocks.Reading) {
	switch {
	case c.join(o):
	case c.message(o, outer):
	case c.several(o):
	case find.HasCutBody(o):
		c.leave("a body that was cut short: the log has only its beginning")
	case find.Unshown(o):
		c.leave("null in place of a message above 4 KB: journalctl --all shows it")
	case find.LacksBody(o):
		c.leave(unlogged)
	case find.Elsewhere(o):
		c.leave(elsewhere)
	default:
		c.leave("no request body")
	}
}

// unlogged is why a record is left out whose body's place is empty.
const unlogged = "nothing where a request's body stands: nginx logs none that it keeps in a file, so that the longest are missing, unless client_body_buffer_size is larger than they are"

// elsewhere is why a record of Amazon Bedrock's is left out that names the object which has its body.
const elsewhere = "a body in an object of its own (inputBodyS3Path), where Bedrock puts those above 100 KB: the longest prompts are missing"

// leave counts a record that is not used.
func (c *collector) leave(why string) { c.report.leave(why, c.place()) }

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
