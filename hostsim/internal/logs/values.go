package logs

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"warmroute/hostsim/internal/find"
	"warmroute/hostsim/internal/loose"
)

// values reads JSON values that are not one a line.
func (c *collector) values(in io.Reader) error {
	before := c.report.Lines
	data, err := io.ReadAll(io.LimitReader(in, maxValues))
	if err = c.ends(err, len(data) > 0); err != nil {
		return err
	}
	if len(data) == maxValues {
		c.leave(fmt.Sprintf("what comes after %d MiB: write it as JSON lines", maxValues>>20))
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	dec := json.NewDecoder(bytes.NewReader(data))
	c.line = 1
	depth, done := 0, int64(0)
	for !c.full() {
		rest := bytes.TrimLeft(data[dec.InputOffset():], " \t\r\n,")
		if len(rest) == 0 {
			return nil
		}
		if opens := depth == 0 && rest[0] == '['; opens || depth > 0 && !dec.More() {
			if _, err := dec.Token(); err != nil { // a bracket, or none
				return c.broken(err, c.report.Lines > before)
			}
			if depth = 0; opens {
				depth = 1
			}
			continue
		}
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if err == nil && depth > 0 && find.IsMessage(loose.Read(raw)) { // the list is no list of records
			raw, err = messages(dec, raw)
			depth = 0
		}
		c.line += bytes.Count(data[done:dec.InputOffset()], []byte("\n"))
		done = dec.InputOffset()
		if err != nil {
			return c.broken(err, c.report.Lines > before)
		}
		if !c.skips() {
			c.text(raw, nil)
		}
	}
	return nil
}

// maxValues bounds a file that is not one record a line, in bytes.
const maxValues = 1 << 30

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

// broken is ends of a text that is not one record a line: nothing after a fault can be told apart.
func (c *collector) broken(err error, any bool) error {
	if any {
		c.leave("all from here on: not JSON (" + err.Error() + ")")
		return nil
	}
	return fmt.Errorf("%s:%d: %w", c.name, c.line, err)
}
