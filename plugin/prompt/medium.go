package prompt

import "warmroute/plugin/bytestr"

// A medium is represented by the digest of its bytes as the body has them: a URL, or base64 of any length. If the decision
// falls within one, the digest is of its first part, up to the last checkpoint passed, so that the same image has the
// same digest in the next turn though the body has shifted by some bytes.

// firstCheckpoint, in bytes; each further one is twice as far.
const firstCheckpoint = 4 << 10

// mediumSize is how much of a medium has come.
type mediumSize struct {
	size int
	next int    // the checkpoint to come
	sum  uint64 // the digest at the one before it
}

// addMedium adds bytes of the current medium.
func (s *Scanner) addMedium(p []byte) {
	m := &s.medium
	for m.size+len(p) >= m.next {
		n := m.next - m.size
		s.digest.Write(p[:n])
		p = p[n:]
		m.size, m.sum = m.next, s.digest.Sum64()
		m.next *= 2
	}
	s.digest.Write(p)
	m.size += len(p)
}

func (s *Scanner) putDigest(sum uint64) {
	s.spare[0] = frameMedium
	bytestr.AppendHex(s.spare[:1], sum, 16)
	s.put(s.spare[:])
}
