package prompt

import (
	"warmroute/plugin/bytestr"
	"warmroute/plugin/why"
)

// Decide prepares a decision from what has come, if the model is known and nothing that may follow stands before it in the
// canonical prompt: then the chain so far is the beginning of the whole one. late says that it waits no longer for the name of a
// response that the prompt may continue, which says where to go, and not what the prompt is. It returns the number of blocks in that chain;
// 0: not yet. The Prompt that it makes may be ignored: only Commit makes the decision final.
func (s *Scanner) Decide(late bool) (blocks int) {
	if s.decided || s.status != More || !s.settled(late) {
		return 0
	}
	s.summarize(s.off)
	return s.prompt.most
}

// Commit makes the decision that Decide has prepared final.
func (s *Scanner) Commit() { s.decided = true }

// settled says that the current part is the last one that counts, and that all parts before it have come.
func (s *Scanner) settled(late bool) bool {
	rank := s.frames[0].rank
	if rank < rankPrompt || !s.opened || s.have>>fModel&1 == 0 || !late && s.format == Responses && len(s.Previous()) == 0 { // what it continues is at one server alone
		return false
	}
	wait := shapes[rootOf[s.format]].wait
	for r := range rankPrompt {
		if wait>>uint(r)&1 != 0 && s.parts[r].state != closed {
			return false
		}
	}
	return true
}

// Cut makes the decision from what has come, as at HoldBytes: the proxy cannot hold more. After a decision, or after Broken, it does nothing.
func (s *Scanner) Cut() Status {
	if s.status == More && !s.decided {
		s.decideAtHold(s.off)
	}
	return s.told()
}

// decideAtHold decides at HoldBytes. Members whose order is not settled are taken in the order in which they came. A part
// that is cut short and stands before others that have come is left out, as it will be in the next turn.
func (s *Scanner) decideAtHold(at int) {
	s.loosen()
	s.flush(len(s.text))
	if rank := s.frames[0].rank; rank != unranked {
		s.cut = rank == rankSystem
		for r := int(rank) + 1; r < partCount; r++ {
			if s.parts[r].state != absent && s.parts[r].fold.Size() > 0 {
				s.parts[rank].state, s.late = absent, true
			}
		}
	}
	s.decide(at)
	if len(s.prompt.Text) == 0 {
		s.decided = false
		s.fail(why.NoPrompt)
	}
}

// decide makes the Prompt of what is known at the given offset, and makes the decision final.
func (s *Scanner) decide(at int) {
	s.summarize(at)
	s.decided = true
}

func (s *Scanner) summarize(at int) {
	p := &s.prompt
	p.BodyBytes = at
	s.collect()
	p.Model, p.Salt, p.Adapter = s.field(fModel), s.field(fSalt), s.field(fAdapter)
	s.flags()
	s.layText()
	turns := s.turnsSoFar()
	s.findSession(s.findSystem(&turns), &turns)
}

// flags sets what the body says of the response.
func (s *Scanner) flags() {
	p, has := &s.prompt, func(bit int) bool { return s.have>>uint(bit)&1 != 0 }
	p.Stream, p.IncludeUsage, p.Media, p.Fetched, p.Unstored = has(flagStream) && !has(flagBeams), has(flagIncludeUsage), has(flagMedia), has(flagFetched), has(flagUnstored)
	choice := s.field(fToolChoice)
	p.Grammar = has(flagGrammar) || len(choice) > 0 && !bytestr.Equal(choice, "auto") && !bytestr.Equal(choice, "none")
	truncation := s.field(fTruncation)
	p.Atypical = has(flagAtypical) || has(flagBeams) || s.known>>nChoices&1 != 0 && s.numbers[nChoices] > 1 ||
		len(truncation) > 0 && !bytestr.Equal(truncation, "disabled") || len(s.Previous()) > 0
}

// collect lists the parts of the prompt in their order; of several prompts, the first by rank that is not empty counts.
func (s *Scanner) collect() {
	p := &s.prompt
	p.size, p.count, p.most, p.Truncated = 0, 0, 0, !s.ended
	p.tools, p.system = -1, -1
	for r := range s.parts {
		part := &s.parts[r]
		if part.state == absent || part.fold.Size() == 0 {
			continue
		}
		switch r := int8(r); {
		case (r == rankTools || r == rankFunctions || r == rankDocuments) && p.tools < 0:
			p.tools = p.count
		case (r == rankSystem || r == rankOpening) && p.system < 0 && !s.cut:
			p.system = p.count
		}
		p.parts[p.count] = &part.fold
		p.count++
		p.size += part.fold.Size()
		if part.state == open && !s.late {
			p.size += len(s.text) // not hashed yet
		}
		if r >= int(rankPrompt) {
			p.Tokens = part.tokens || part.state == open && s.mode >= tokenMode
			break
		}
	}
	if p.tools < 0 {
		p.tools = p.system
	}
	for i, f := range p.parts[:p.count] {
		p.most += f.Count(i+1 < p.count)
	}
}

// layText makes Text from the beginnings of the parts.
func (s *Scanner) layText() {
	s.out = s.out[:0]
	count := 0
	for r := range s.parts {
		part := &s.parts[r]
		if part.state == absent || part.fold.Size() == 0 || count == s.prompt.count {
			continue
		}
		if count++; s.prompt.count == 1 && !s.cutMedium() {
			s.prompt.Text = part.kept
			return
		}
		s.out = append(s.out, part.kept[:min(len(part.kept), s.keep-len(s.out))]...)
		if len(part.kept) < part.fold.Size() {
			break
		}
	}
	if s.cutMedium() && len(s.out) == s.prompt.size {
		s.out = append(s.out, frameMedium)
		s.out = bytestr.AppendHex(s.out, s.medium.sum, 16)
		s.out = s.out[:min(len(s.out), s.keep)]
	}
	s.prompt.Text = s.out
}

// cutMedium says that the decision falls within a medium of which enough has come to identify it.
func (s *Scanner) cutMedium() bool {
	return s.state == inString && !s.inKey && s.sink == toDigest && s.medium.next > firstCheckpoint && !s.late
}

// turnsSoFar is the turns so far; the current one counts as ended.
func (s *Scanner) turnsSoFar() turns {
	t := s.turns
	if s.late || s.frames[0].rank == unranked {
		return t
	}
	if s.state == inString && !s.inKey && shapes[s.next].str == opUserText {
		t.end(0, s.base, roleUser)
	}
	for d := s.depth; d > 0; d-- {
		if f := &s.frames[d]; f.turn {
			t.end(f.mark, s.base, f.role)
		}
	}
	return t
}

// anyPrompt reports that the prompt itself is not empty.
func (s *Scanner) anyPrompt() bool {
	for r := int(rankOpening); r < partCount; r++ {
		if s.parts[r].state != absent && s.parts[r].fold.Size() > 0 {
			return true
		}
	}
	return false
}

// findSystem sets SystemLen and returns where the turns begin.
func (s *Scanner) findSystem(t *turns) int {
	start, settings := 0, 0
	for r := range rankPrompt {
		if s.parts[r].state != absent {
			start += s.parts[r].fold.Size()
		}
		if r <= rankArguments {
			settings = start
		}
	}
	if n := start + t.systemEnd; n > settings { // by itself it is no system prompt
		s.prompt.SystemLen = min(n, len(s.prompt.Text))
	}
	return start
}

// findSession takes the first source of a session that is there; turns begin at start.
func (s *Scanner) findSession(start int, t *turns) {
	p := &s.prompt
	p.Session, p.SessionFrom = nil, NoSession
	for i := fCacheKey; i <= fUserID; i++ {
		if v := s.field(i); len(v) > 0 {
			p.Session, p.SessionFrom = v, CacheKey+Source(i-fCacheKey)
			return
		}
	}
	from, to := start+t.userStart, min(start+t.userEnd, len(p.Text))
	if t.hasUser && from < to {
		p.Session, p.SessionFrom = p.Text[from:to], FirstUserTurn
	}
}

func (s *Scanner) field(i int) []byte {
	if s.have>>uint(i)&1 == 0 {
		return nil
	}
	return s.fields[i].b
}
