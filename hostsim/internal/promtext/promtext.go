// Package promtext reads pages of metrics in Prometheus' text format.
package promtext

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Sample is one line of a page of metrics.
type Sample struct {
	Labels map[string]string
	Value  float64
}

// Page is a page of metrics in Prometheus' text format, by name.
type Page map[string][]Sample

// Read reads a page. The error names the line that is none of the format's ("Exposition formats", prometheus.io).
func Read(text []byte) (Page, error) {
	page := Page{}
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

func readSample(line string) (name string, s Sample, err error) {
	end := strings.IndexAny(line, "{ \t")
	if end < 1 {
		return "", s, fmt.Errorf("%q is no sample", line)
	}
	name, rest := line[:end], line[end:]
	if rest[0] == '{' {
		if s.Labels, rest, err = readLabels(rest[1:]); err != nil {
			return "", s, err
		}
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return "", s, fmt.Errorf("%s has no value", name)
	}
	if s.Value, err = strconv.ParseFloat(fields[0], 64); err != nil {
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

// Sum adds up the values of a metric with a label of that value ("": any).
func (p Page) Sum(name, label, value string) (Total float64) {
	for _, s := range p[name] {
		if label == "" || s.Labels[label] == value {
			Total += s.Value
		}
	}
	return Total
}

// Total is the sum over all labels.
func (p Page) Total(name string) float64 { return p.Sum(name, "", "") }
