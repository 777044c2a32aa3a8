package logs

import (
	"errors"
	"fmt"
	"io"

	"warmroute/hostsim/internal/layout"
)

// ends judges why a file ends. Where it was cut, as a log that is still being compressed, what came before is used, and said.
func (c *collector) ends(err error, any bool) error {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return nil
	case any && layout.BreaksOff(err):
		c.leave("all from here on: the file breaks off, or is broken (" + err.Error() + ")")
		return nil
	}
	return fmt.Errorf("%s:%d: %w", c.name, c.line+1, err)
}

// broken is ends of a text that is not one record a line: nothing after a fault can be told apart.
func (c *collector) broken(err error, any bool) error {
	if any {
		c.leave("all from here on: not JSON (" + err.Error() + ")")
		return nil
	}
	return fmt.Errorf("%s:%d: %w", c.name, c.line, err)
}
