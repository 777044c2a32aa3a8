package prompt

// Stop decides now, by what is known so far, as if the body went on with nothing that matters: for a caller that will
// hold no more of it. The status is then Ready or, where no part of a prompt was seen, Broken.
func (s *Scanner) Stop() Status {
	if s.status == More {
		s.decide(s.off)
		if !s.anyPrompt() {
			s.fail(NoPrompt)
		}
	}
	return s.status
}
