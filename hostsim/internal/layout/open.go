// Package layout tells how the text of a log's file is laid out, whatever its records are: packed or not, lines of which a container's runtime
// has cut some, JSON values over several lines, or a table. It reads bytes, and knows neither requests nor what members mean.
package layout

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
)

// bufferBytes is how much of a file is looked at to tell how it is laid out.
const bufferBytes = 1 << 16

// Open is a file's text: unpacked where it is compressed by gzip, and with quotes as RFC 4180 has them where it is a table. At least
// bufferBytes of it can be peeked. The error of what another program must unpack names the program.
func Open(name string, in io.Reader) (*bufio.Reader, error) {
	text := bufio.NewReaderSize(in, bufferBytes)
	if magic, _ := text.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		zip, err := gzip.NewReader(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		text = bufio.NewReaderSize(zip, bufferBytes)
	}
	text = unescaped(text)
	if err := packed(name, Head(text)); err != nil {
		return nil, err
	}
	return text, nil
}

// Head is how a text begins: its first bufferBytes, or all of it.
func Head(text *bufio.Reader) []byte {
	bytes, _ := text.Peek(bufferBytes)
	return bytes
}

// magics are the first bytes of what is read only after another program has unpacked it.
var magics = []struct{ bytes, what, cure string }{
	{"BZh", "compressed by bzip2", "bzip2 -dc FILE | hostsim advise --trace -"},
	{"\xfd7zXZ\x00", "compressed by xz", "xz -dc FILE | hostsim advise --trace -"},
	{"PK\x03\x04", "a zip archive, or a spreadsheet", "unpack it, or save it as CSV"},
	{"PAR1", "a Parquet file", "write it as CSV or JSON lines"},
	{"Obj\x01", "an Avro file", "write it as JSON lines"},
	{"SQLite format 3\x00", "an SQLite database", "write its table as CSV"},
}

// packed is the error of a file that another program must unpack.
func packed(name string, head []byte) error {
	if len(head) > 262 && string(head[257:262]) == "ustar" { // POSIX' pax
		return fmt.Errorf("%s is a tar archive: tar -xOf %[1]s | hostsim advise --trace -", name)
	}
	for _, m := range magics {
		if bytes.HasPrefix(head, []byte(m.bytes)) {
			return fmt.Errorf("%s is %s: %s", name, m.what, m.cure)
		}
	}
	return nil
}

// BrokenError is the error of a reader whose compressed file is broken.
type BrokenError struct{ Err error }

// Error is the fault's.
func (e *BrokenError) Error() string { return e.Err.Error() }

// Unwrap is the fault.
func (e *BrokenError) Unwrap() error { return e.Err }

// BreaksOff says whether an error is of a file that was cut, as one that is still being compressed, or of which a part is broken: what came
// before it is good.
func BreaksOff(err error) bool {
	var corrupt flate.CorruptInputError
	var broken *BrokenError
	return errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.As(err, &corrupt)
}
