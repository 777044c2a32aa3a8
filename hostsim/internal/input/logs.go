package input

import (
	"runtime/debug"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/logs"
	"warmroute/hostsim/internal/render"
	"warmroute/hostsim/internal/trace"
)

// Logs reads people's logs, and shows how far it is. Errors: logs.Read's.
func Logs(s *console.Streams, files []logs.File, o logs.Options) ([]trace.Line, *logs.Report, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(logGarbage))
	s.Anew()
	defer s.ClearLine()
	o.Accept, o.Progress = acceptBody, func(file string, lines int) { s.At(lines, 0, "lines of "+file) }
	return logs.Read(files, o)
}

// logGarbage is for how many percent of what is kept of a log garbage may stand in memory beside it: nearly all are bodies, in which the
// collector has nothing to look for.
const logGarbage = 25

// acceptBody refuses what a simulated replica would.
func acceptBody(path string, body []byte) error {
	_, err := render.Request(path, body, 1)
	return err
}
