package logs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"warmroute/hostsim/internal/find"
	"warmroute/hostsim/internal/layout"
	"warmroute/hostsim/internal/loose"
)

// values reads JSON values that are not one a line.
func (c *collector) values(in io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(in, maxValues))
	if err = c.ends(err, len(data) > 0); err != nil {
		return err
	}
	if len(data) == maxValues {
		c.leave(fmt.Sprintf("what comes after %d MiB: write it as JSON lines", maxValues>>20))
	}
	before := c.report.Lines
	for v := layout.NewValues(data); !c.full() || len(c.waiting) > 0; {
		raw, ok := v.Next()
		if raw == nil {
			return nil
		}
		c.line = v.Line()
		if ok && v.Listed() && find.IsMessage(loose.Read(raw)) { // the list is no list of records
			raw, ok = messages(raw, v)
		}
		switch {
		case c.full():
			c.late(raw)
		case !ok && raw != nil && v.Ended():
			if c.report.Lines == before && c.mended(raw) {
				return nil
			}
			return c.broken(raw, c.report.Lines > before)
		case c.skips():
		case ok:
			c.text(raw, nil)
		default:
			c.report.Lines++
			c.leave(find.CutShort)
		}
	}
	return nil
}

// maxValues bounds a file that is not one record a line, in bytes.
const maxValues = 1 << 30

// messages makes a body of a list of messages, of which first has been read; nil, false: the list is broken.
func messages(first []byte, v *layout.Values) (body []byte, whole bool) {
	rest, whole := v.Rest()
	if !whole {
		return nil, false
	}
	all := []*loose.Value{loose.KnownValid(first)}
	for _, message := range rest {
		all = append(all, loose.KnownValid(message))
	}
	return loose.Marshal(loose.Object{"messages": loose.Made(all)}), true
}

// broken is ends of a text that is not one record a line, behind whose last fault no record begins.
func (c *collector) broken(rest []byte, any bool) error {
	var raw json.RawMessage
	err := json.NewDecoder(bytes.NewReader(rest)).Decode(&raw)
	if any {
		c.leave("all from here on: not JSON (" + err.Error() + ")")
		return nil
	}
	return fmt.Errorf("%s:%d: %w", c.name, c.line, err)
}

// mended takes the calls that are whole of a text that is one object with many and broken, such as an archive of HTTP that was cut; false: it is none.
func (c *collector) mended(text []byte) bool {
	whole, broken := layout.Mend(text, c.line)
	if !find.Many(whole) {
		return false
	}
	line := c.line
	for _, c.line = range broken {
		c.leave(find.CutShort)
	}
	c.line = line
	c.text(whole, nil)
	return true
}
