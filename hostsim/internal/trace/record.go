package trace

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
)

// record is one request as the module describes it: plugin/worker/record.go has the form.
type record struct {
	at, took          int64 // ms
	session           string
	bytes             int // of canonical prompt
	prompt, output    int // tokens; 0: not known
	cached            int // of the prompt's tokens, as the replica counted them
	missed            int
	sizes             []int // of the blocks, bytes
	hashes            []uint64
	timed, lengthened bool
	counted           bool // prompt and cached are known
}

// record reads access logs whose lines have records; other lines are no requests.
func (l *loader) record() error {
	var all []record
	l.options.SkipBad = true // rotation and a log that is being written cut a line
	err := l.lines(func(line []byte) (bool, error) {
		text := recordIn(line)
		if text == nil {
			return false, nil
		}
		r, err := parseRecord(string(text))
		if err != nil {
			return false, err
		}
		l.trace.Missed += r.missed
		all = append(all, r)
		return l.full(len(all)), nil
	})
	if err != nil || len(all) == 0 {
		return err
	}
	slices.SortStableFunc(all, func(a, b record) int { return cmp.Compare(a.at, b.at) })
	l.fromRecords(all)
	return nil
}

func parseRecord(text string) (record, error) {
	var r record
	for i, field := range bytes.Split([]byte(text), []byte(";")) {
		name, value, ok := bytes.Cut(field, []byte("="))
		if i == 0 {
			continue // the mark
		}
		if !ok {
			return r, wrong(string(name), "it has no value: the record is cut short")
		}
		var err error
		number := func(most int64) int64 {
			n, fault := strconv.ParseInt(string(value), 10, 64)
			if fault != nil || n < 0 || n > most {
				err = wrong(string(name), "%q is not a whole number up to %d", value, most)
			}
			return n
		}
		switch string(name) {
		case "t":
			r.at, r.timed = number(9e12), true // the year 2255: nanoseconds of later times do not fit
		case "s":
			r.session = string(value)
		case "n":
			r.bytes = int(number(MaxTokens * 64))
		case "p":
			r.prompt = int(number(MaxTokens))
		case "c":
			r.cached, r.counted = int(number(MaxTokens)), true
		case "o":
			r.output = int(number(MaxTokens))
		case "d":
			r.took = number(1e12)
		case "m":
			r.missed = int(number(1e12))
		case "b":
			r.lengthened = true
			err = r.blocks(string(value))
		}
		if err != nil {
			return r, err
		}
	}
	if !r.timed || !r.lengthened {
		return r, errors.New("the record is cut short: it ends before its blocks")
	}
	r.counted = r.counted && r.prompt > 0
	r.cached = min(r.cached, r.prompt)
	return r, nil
}

// blocks reads pairs of a length and six bytes of a hash.
func (r *record) blocks(text string) error {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return wrong("b", "%v", err)
	}
	end := 0
	for len(raw) > 0 {
		size, n := binary.Uvarint(raw)
		if n <= 0 || size == 0 || size > MaxTokens || len(raw) < n+6 {
			return wrong("b", "its end is cut off, or a block has no length")
		}
		var hash [8]byte
		copy(hash[:], raw[n:n+6])
		raw = raw[n+6:]
		end += int(size)
		r.sizes, r.hashes = append(r.sizes, int(size)), append(r.hashes, binary.LittleEndian.Uint64(hash[:]))
	}
	r.bytes = max(r.bytes, end, 1)
	return nil
}
