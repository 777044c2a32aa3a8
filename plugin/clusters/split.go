package clusters

import "warmroute/plugin/bytestr"

// Part is where one cluster stands on a page.
type Part struct {
	Name     string
	From, To int // bytes of the page: an element of cluster_statuses
}

// Splitter finds the clusters of a page, so that each is read by the pool that it belongs to, and the page only once by all. It skips
// what is in a cluster but for its name. The zero value is ready; Write takes pieces of any size.
type Splitter struct {
	parts  []Part
	at     int // bytes read
	depth  int
	broken bool
	listed bool

	inString, escaped, wantsKey bool
	isName, isList              bool // the member to come
	text                        [512]byte
	n                           int
	part                        Part
}

// Reset prepares for a page.
func (s *Splitter) Reset() { *s = Splitter{parts: s.parts[:0]} }

// Write reads the next piece.
func (s *Splitter) Write(piece []byte) {
	for _, c := range piece {
		switch {
		case s.inString:
			s.stringByte(c)
		case c == '"':
			s.inString, s.n = true, 0
		case c == '{' || c == '[':
			s.open(c)
		case c == '}' || c == ']':
			s.close()
		case c == ',':
			s.wantsKey = s.depth == 1 || s.depth == 3
		}
		s.at++
	}
}

// Close ends the page: its clusters, and whether it is one.
func (s *Splitter) Close() ([]Part, bool) {
	return s.parts, !s.broken && s.listed && s.depth == 0 && !s.inString
}

func (s *Splitter) open(c byte) {
	switch {
	case s.depth == 1 && s.isList && c == '[':
		s.listed = true
	case s.depth == 2 && s.isList && c == '{':
		s.part = Part{From: s.at}
	case s.depth == 1:
		s.isList = false
	}
	s.depth++
	s.wantsKey, s.isName = c == '{' && (s.depth == 1 || s.depth == 3), false
}

func (s *Splitter) close() {
	s.depth--
	s.wantsKey = false
	switch {
	case s.depth < 0:
		s.broken = true
	case s.depth == 2 && s.isList && s.part.Name != "":
		s.part.To = s.at + 1
		s.parts = append(s.parts, s.part)
	}
}

func (s *Splitter) stringByte(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
		s.n = len(s.text) + 1 // no name that is looked for has one
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.inString = false
		s.ends()
	case s.n < len(s.text):
		s.text[s.n] = c
		s.n++
	default:
		s.n = len(s.text) + 1
	}
}

func (s *Splitter) ends() {
	text := s.text[:min(s.n, len(s.text))]
	switch {
	case s.wantsKey && s.depth == 1:
		s.isList = bytestr.Equal(text, "cluster_statuses")
	case s.wantsKey && s.depth == 3 && s.isList:
		s.isName = bytestr.Equal(text, "name")
	case s.depth == 3 && s.isName && s.n <= len(s.text):
		s.part.Name, s.isName = string(text), false
	}
	s.wantsKey = false
}

// Covers says whether a cluster of that name is read when cluster is asked for: itself, or a subset of its service.
func Covers(cluster, name string) bool {
	var r Reader
	r.exact = cluster
	r.prefix, r.suffix, _ = SplitService(cluster)
	return r.matches([]byte(name))
}
