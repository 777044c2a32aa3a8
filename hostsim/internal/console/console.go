// Package console is what a command may touch of the outside world: its streams, files to read and write, progress while it works, and
// results with what made them. It knows no command and decides nothing about what is shown.
package console

import (
	"context"
	"io"
)

// Streams are those of one command.
type Streams struct {
	Ctx    context.Context // cancelled by SIGINT and SIGTERM
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	Args   []string // of the command line
	Module string   // the module's file, which results name by its hash

	Command string // the name by which results say what made them, such as replay or study league

	meter   meter
	partial string // why results are not all that was asked for; "" if they are
}
