package doctor

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// sample is one line of a page of metrics.
type sample struct {
	labels map[string]string
	value  float64
}

// pageOf is a page of metrics in Prometheus' text format, by name.
type pageOf map[string][]sample

// readPage reads a page. The error names the line that is none of the format's ("Exposition formats", prometheus.io).
func readPage(text []byte) (pageOf, error) {
	page := pageOf{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, s, err := readSample(line)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		page[name] = append(page[name], s)
	}
	return page, lines.Err()
}

func readSample(line string) (name string, s sample, err error) {
	end := strings.IndexAny(line, "{ \t")
	if end < 1 {
		return "", s, fmt.Errorf("%q is no sample", line)
	}
	name, rest := line[:end], line[end:]
	if rest[0] == '{' {
		if s.labels, rest, err = readLabels(rest[1:]); err != nil {
			return "", s, err
		}
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return "", s, fmt.Errorf("%s has no value", name)
	}
	if s.value, err = strconv.ParseFloat(fields[0], 64); err != nil {
		return "", s, fmt.Errorf("%s: %q is no value", name, fields[0])
	}
	return name, s, nil
}

// readLabels reads name="value" pairs to the closing brace, and returns what follows it.
func readLabels(s string) (map[string]string, string, error) {
	labels := map[string]string{}
	for {
		s = strings.TrimLeft(s, ", \t")
		if strings.HasPrefix(s, "}") {
			return labels, s[1:], nil
		}
		name, rest, ok := strings.Cut(s, `="`)
		if !ok {
			return nil, "", fmt.Errorf("a label without a value in %q", s)
		}
		var value strings.Builder
		i := 0
		for ; i < len(rest) && rest[i] != '"'; i++ {
			if rest[i] == '\\' && i+1 < len(rest) {
				i++
				if rest[i] == 'n' {
					value.WriteByte('\n')
					continue
				}
			}
			value.WriteByte(rest[i])
		}
		if i == len(rest) {
			return nil, "", fmt.Errorf("the value of label %s does not end", name)
		}
		labels[name] = value.String()
		s = rest[i+1:]
	}
}

// sum adds up the values of a metric with a label of that value ("": any).
func (p pageOf) sum(name, label, value string) (total float64) {
	for _, s := range p[name] {
		if label == "" || s.labels[label] == value {
			total += s.value
		}
	}
	return total
}
