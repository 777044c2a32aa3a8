package speed

// Endpoints whose KV caches hold as much are of one kind: servers tell that before a request shows anything, and it differs where cards differ. What
// some of a kind show tells of all of it: of two kinds of cards each is known after a few responses, though each endpoint has given hardly any.

// Alike is how many times as large as another's a KV cache may be of an endpoint of its kind: the profile of memory by which servers size it is
// not the same at each start.
const Alike = 1.05

// mostKinds bounds the kinds; others count as of unknown size.
const mostKinds = 16

// kind is what endpoints of one kind have shown.
type kind struct {
	size float64  // of a cache, tokens; 0: not known
	of   weighed  // with what equal endpoints may be apart
	seen weighed  // without
	rest Sums     // of those that have shown too little
	all  estimate // those together; zero: too little, too
}

// Size says how many tokens the KV cache of endpoint i holds; 0: not known.
func (s *Speeds) Size(i int, tokens float64) { s.ends[i].size = float32(tokens) }

// sort sets the kind of each endpoint, and forgets what kinds have shown.
func (s *Speeds) sort() {
	s.kinds = append(s.kinds[:0], kind{})
	for i := range s.ends {
		e := &s.ends[i]
		e.kind = 0
		if e.size > 0 && e.present {
			e.kind = s.kindOf(float64(e.size))
		}
	}
}

// kindOf is the kind of endpoints with such a cache.
func (s *Speeds) kindOf(size float64) uint8 {
	for k := 1; k < len(s.kinds); k++ {
		if of := s.kinds[k].size; size < of*Alike && of < size*Alike {
			return uint8(k)
		}
	}
	if len(s.kinds) > mostKinds {
		return 0
	}
	s.kinds = append(s.kinds, kind{size: size})
	return uint8(len(s.kinds) - 1)
}
