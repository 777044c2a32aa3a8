package prompt

// decide ends the scan at the given offset and makes the Prompt of what is known.
func (s *Scanner) decide(at int) {
	s.status = Ready
	s.closeAll()
	p := &s.prompt
	p.BodyBytes = at
	doc := &s.frames[0]
	s.keepOnePrompt(doc)
	s.layOut(doc)
	p.Text = s.text
	p.Model, p.Salt, p.Adapter = s.field(fModel), s.field(fSalt), s.field(fAdapter)
	p.Stream, p.IncludeUsage = s.have>>flagStream&1 != 0, s.have>>flagIncludeUsage&1 != 0
	p.Truncated = len(p.Text) == s.max || !s.ended
	s.findSession(s.findSystem())
}

// closeAll ends what the decision cut off.
func (s *Scanner) closeAll() {
	if s.state == inString && !s.inKey {
		switch {
		case shapes[s.next].str == opUserText:
			s.endTurn(s.slots[len(s.slots)-1].start, roleUser)
		case s.sink == toDigest && s.medium.next > firstCheckpoint:
			s.putDigest(s.medium.sum)
		}
	}
	for ; s.depth > 0; s.depth-- {
		if f := &s.frames[s.depth]; f.kind == inRecord {
			if f.rank != unranked {
				s.closeSlot(f)
			}
			s.endRecord(f)
		}
	}
	if doc := &s.frames[0]; doc.rank != unranked {
		s.closeSlot(doc)
	}
}

// keepOnePrompt drops all prompts but the first by rank that is not empty.
func (s *Scanner) keepOnePrompt(doc *frame) {
	var kept int8
	for i := range s.slots {
		if sl := &s.slots[i]; sl.rank >= rankPrompt && sl.end > sl.start && (kept == 0 || sl.rank < kept) {
			kept = sl.rank
			s.prompt.Tokens = sl.tokens
		}
	}
	for i := len(s.slots) - 1; i >= 0; i-- {
		if s.slots[i].rank >= rankPrompt && s.slots[i].rank != kept {
			s.dropSlot(doc, i)
		}
	}
}

// anyPrompt reports that the prompt itself is not empty.
func (s *Scanner) anyPrompt() bool {
	for i := range s.slots {
		if sl := &s.slots[i]; sl.rank >= rankPrompt && sl.end > sl.start {
			return true
		}
	}
	return false
}

// findSystem sets SystemLen and returns where the turns begin in Text.
func (s *Scanner) findSystem() int {
	start, settings := 0, 0
	for i := range s.slots {
		if s.slots[i].rank < rankPrompt {
			start = s.slots[i].end
		}
		if s.slots[i].rank <= rankArguments {
			settings = start
		}
	}
	if n := start + s.turns.systemEnd; n > settings { // by itself it is no system prompt
		s.prompt.SystemLen = min(n, len(s.text))
	}
	return start
}

// findSession takes the first source of a session that is there; turns begin at start.
func (s *Scanner) findSession(start int) {
	p := &s.prompt
	for i := fCacheKey; i <= fUserID; i++ {
		if v := s.field(i); len(v) > 0 {
			p.Session, p.SessionFrom = v, CacheKey+Source(i-fCacheKey)
			return
		}
	}
	from, to := start+s.turns.userStart, min(start+s.turns.userEnd, len(s.text))
	if s.turns.hasUser && from < to {
		p.Session, p.SessionFrom = s.text[from:to], FirstUserTurn
	}
}

func (s *Scanner) field(i int) []byte {
	if s.have>>uint(i)&1 == 0 {
		return nil
	}
	return s.fields[i].b
}
