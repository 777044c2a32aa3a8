package trace

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// azureBlock is the block size in tokens given to traces of this format. Their prompts share nothing, so it matters little.
const azureBlock = 512

// azureLine is a line without the header before it. Lines of other logs begin with a time or an address, and have commas too.
var azureLine = regexp.MustCompile(`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[^, ]*,\w*,\w*\s*$`)

// azure reads "TIMESTAMP,ContextTokens,GeneratedTokens" with a header, and gives every request its own
// blocks and its own session.
func (l *loader) azure() error {
	t := l.trace
	t.BlockSize = azureBlock
	var began time.Time
	header := true
	return l.lines(func(line []byte) (bool, error) {
		cells := strings.Split(strings.TrimSpace(string(line)), ",")
		if header {
			header = false
			if strings.TrimPrefix(cells[0], "\ufeff") == "TIMESTAMP" {
				return false, nil
			}
		}
		if len(cells) != 3 {
			return false, errors.New("want TIMESTAMP,ContextTokens,GeneratedTokens")
		}
		at, err := time.Parse("2006-01-02 15:04:05.9999999", strings.TrimSuffix(cells[0], "+00:00")) // which those of 2024 have
		if err != nil {
			return false, wrong("TIMESTAMP", "%q is not of the form 2006-01-02 15:04:05.9999999", cells[0])
		}
		in, err := azureTokens("ContextTokens", cells[1], 1)
		if err != nil {
			return false, err
		}
		out, err := azureTokens("GeneratedTokens", cells[2], 0)
		if err != nil {
			return false, err
		}
		if len(t.Requests) == 0 {
			began = at
		}
		since := at.Sub(began)
		if since < 0 || since.Seconds() > MaxSeconds {
			return false, wrong("TIMESTAMP", "%s is before the first, or long after it", cells[0])
		}
		n := (in + azureBlock - 1) / azureBlock
		t.Requests = append(t.Requests, Request{
			At: since.Nanoseconds(), Session: t.Sessions, After: -1,
			Blocks: Blocks{{uint32(t.IDs), uint32(n)}}, InputTokens: in, OutputTokens: max(1, out),
		})
		t.Sessions++
		t.IDs += n
		return l.full(len(t.Requests)), nil
	})
}

func azureTokens(field, cell string, least int) (int, error) {
	n, err := strconv.Atoi(cell)
	if err != nil {
		return 0, wrong(field, "%q is not a whole number", cell)
	}
	return n, checkTokens(field, &n, least)
}
