package logs

import (
	"bufio"
	"bytes"
	"fmt"
	"runtime"

	"warmroute/hostsim/internal/find"
	"warmroute/hostsim/internal/layout"
	"warmroute/hostsim/internal/trace"
)

// lined reads a file of one record a line. Lines are searched a batch beside another, and taken in their order.
func (c *collector) lined(in *bufio.Reader) error {
	before := c.report.Lines
	ahead := 2 * runtime.GOMAXPROCS(0)
	most := batchBytes
	if c.options.Limit > 0 { // nothing is read behind what is wanted
		ahead, most = 0, 1
	}
	var waiting, spare []*batch
	parts := layout.Parts{}
	for line, done := 0, false; !done || len(waiting) > 0; {
		if !done {
			b := &batch{}
			if n := len(spare); n > 0 {
				b, spare = spare[n-1], spare[:n-1]
			}
			done = b.read(in, parts, &line, most)
			if done && line == 1 && layout.Cut(b.lines[0].text) {
				if c.line = 1; c.mended(b.lines[0].text) {
					return nil
				}
			}
			b.search(&c.options)
			waiting = append(waiting, b)
		}
		if !done && len(waiting) <= ahead {
			continue
		}
		b := waiting[0]
		<-b.searched
		for i := range b.lines {
			if c.full() && len(c.waiting) == 0 {
				return nil
			}
			c.line = b.lines[i].number
			c.searched(&b.lines[i])
		}
		if c.options.Progress != nil {
			c.options.Progress(c.name, c.line)
		}
		if b.err != nil {
			return c.ends(b.err, c.report.Lines > before)
		}
		clear(b.lines)
		waiting, spare = waiting[1:], append(spare, b)
	}
	return nil
}

// searched takes a line.
func (c *collector) searched(l *line) {
	switch {
	case len(l.text) == 0 || c.skips():
	case c.full():
		c.late(l.text)
	case l.long:
		c.report.Lines++
		c.leave(fmt.Sprintf("a line longer than %d MiB", trace.MaxLine>>20))
	default:
		c.text(l.text, l.found)
	}
}

// batch is some lines, whose texts are in one buffer.
type batch struct {
	buffer   []byte
	lines    []line
	err      error // that ended the file
	searched chan struct{}
}

type line struct {
	text   []byte
	number int
	long   bool
	found  []find.Found
}

// batchBytes is about how long a batch is: much longer than most lines, and much less than what a machine has.
const batchBytes = 1 << 18

// read fills a batch with lines of most bytes, or with one; true: the file has ended. number is that of the line before.
func (b *batch) read(in *bufio.Reader, parts layout.Parts, number *int, most int) (done bool) {
	if room := cap(b.buffer); room < most && most > 1 || room > 4*batchBytes {
		b.buffer = make([]byte, 0, 2*most)
	}
	b.buffer, b.lines, b.err, b.searched = b.buffer[:0], b.lines[:0], nil, make(chan struct{})
	for !done && len(b.buffer) < most {
		text, long, err := layout.ReadLine(in, b.buffer[len(b.buffer):])
		if len(text) > 0 || err == nil {
			*number++
		}
		if room := cap(b.buffer) - len(b.buffer); len(text) <= room {
			b.buffer = b.buffer[:len(b.buffer)+len(text)]
		} else {
			b.buffer = text // the lines before stay in the old one
		}
		b.lines = append(b.lines, line{text: bytes.TrimSpace(parts.Join(text)), number: *number, long: long})
		b.err, done = err, err != nil
	}
	return done
}

// search finds what the lines have, and closes searched.
func (b *batch) search(o *Options) {
	if o.Limit > 0 { // the line may not be taken
		close(b.searched)
		return
	}
	go func() {
		defer close(b.searched)
		for i := range b.lines {
			if l := &b.lines[i]; len(l.text) > 0 && !l.long {
				l.found = find.Line(l.text, o.Accept)
			}
		}
	}()
}
