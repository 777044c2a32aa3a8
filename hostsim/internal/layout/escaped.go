package layout

import (
	"bufio"
	"bytes"
	"regexp"
	"strings"

	"golang.org/x/text/transform"
)

// escapedField is a field with JSON in which a backslash stands before each quote, as MySQL, Spark and others write tables; by RFC 4180
// no quote can follow there.
var escapedField = regexp.MustCompile(`(?m)(?:^|[,;\t])"(?:\{|\[\{)\\+"`)

// backslashes writes \" as "", and \\ as \.
type backslashes struct{ transform.NopResetter }

// Transform implements transform.Transformer.
func (backslashes) Transform(dst, src []byte, atEOF bool) (written, read int, err error) {
	for read < len(src) {
		out, n := src[read:read+1], 1
		if src[read] == '\\' {
			if read+1 == len(src) && !atEOF {
				return written, read, transform.ErrShortSrc
			}
			switch {
			case bytes.HasPrefix(src[read:], []byte(`\"`)):
				out, n = []byte(`""`), 2
			case bytes.HasPrefix(src[read:], []byte(`\\`)):
				n = 2
			}
		}
		if written+len(out) > len(dst) {
			return written, read, transform.ErrShortDst
		}
		written += copy(dst[written:], out)
		read += n
	}
	return written, read, nil
}

// unescaped reads a table whose quotes have a backslash before them as one that has them twice, as RFC 4180 says. Other text stays.
func unescaped(in *bufio.Reader) *bufio.Reader {
	first, rows, _ := bytes.Cut(Head(in), []byte("\n"))
	if Columns(bytes.TrimSpace(first)) == nil || !escapedField.Match(rows) {
		return in
	}
	return bufio.NewReaderSize(transform.NewReader(in, backslashes{}), bufferBytes)
}

// batch are the escapes of a field in a table without quotes, as mysql --batch and PostgreSQL's COPY write it.
var batch = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r", `\0`, "\x00")

// Batch is a field of such a table as it was.
func Batch(field string) string { return batch.Replace(field) }
