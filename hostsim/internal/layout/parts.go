package layout

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"warmroute/hostsim/internal/trace"
)

// Parts joins lines that a container runtime has cut, of which a log with bodies has many. containerd and CRI-O write "TIME STREAM
// P PART" until the last part, which has F (Kubernetes, "CRI logging format"); Docker's json-file writes members log of 16 KiB, of
// which the last alone ends its line.
type Parts map[string][]byte // by stream: the line so far

// dockerPart is the size of a part that Docker has cut, in bytes.
const dockerPart = 16 << 10

var criLine = regexp.MustCompile(`^(\S+ (stdout|stderr) )([PF]) `)

// Join returns the whole line that line ends; nil: parts of it are to come.
func (p Parts) Join(line []byte) []byte {
	if m := criLine.FindSubmatchIndex(line); m != nil {
		whole, ends := p.add(string(line[m[4]:m[5]]), line[m[1]:], line[m[6]] == 'F')
		if !ends {
			return nil
		}
		return slices.Concat(line[:m[3]], []byte("F "), whole)
	}
	if !bytes.HasPrefix(line, []byte(`{"log":`)) {
		return line
	}
	var d struct {
		Log    string          `json:"log"`
		Stream string          `json:"stream"`
		Time   json.RawMessage `json:"time"`
	}
	if json.Unmarshal(line, &d) != nil || d.Stream == "" || len(d.Log) < dockerPart && p[d.Stream] == nil {
		return line
	}
	whole, ends := p.add(d.Stream, []byte(d.Log), len(d.Log) < dockerPart || strings.HasSuffix(d.Log, "\n"))
	if !ends {
		return nil
	}
	d.Log = string(whole)
	joined, _ := json.Marshal(d) // of values that were read before
	return joined
}

// add adds a part to its stream's line; false: the line goes on.
func (p Parts) add(stream string, part []byte, last bool) ([]byte, bool) {
	whole := append(p[stream], part...)
	if p[stream] = whole; !last && len(whole) <= trace.MaxLine {
		return nil, false
	}
	delete(p, stream)
	return whole, true
}
