package layout

import (
	"bufio"
	"bytes"
	"errors"

	"warmroute/hostsim/internal/trace"
)

// ReadLine reads a line without its end into buffer. One that is longer than trace.MaxLine is passed over, and what it begins with returned.
func ReadLine(in *bufio.Reader, buffer []byte) (line []byte, long bool, err error) {
	for line = buffer; ; {
		part, err := in.ReadSlice('\n')
		if room := trace.MaxLine - len(line); len(part) > room {
			part, long = part[:max(room, 0)], true
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimRight(line, "\r\n"), long, err
		}
	}
}
