package prompt

import "warmroute/plugin/bytestr"

// A medium is represented by the digest of its bytes as the body has them: a URL, or base64 of any length. If the decision
// falls within one, the digest is of its first part, up to the last checkpoint passed, so that the same image has the
// same digest in the next turn though the body has shifted by some bytes.

// firstCheckpoint, in bytes; each further one is twice as far.
const firstCheckpoint = 4 << 10

const (
	// MediumTokens is the tokens that an image, a sound or a video is taken for until responses tell of more. Models differ: an image takes
	// 256 (Gemma 3), 576 (LLaVA 1.5), up to 4,096 (Pixtral), or one for 784 pixels (Qwen2.5-VL: 1,276 for a megapixel). It is the
	// least of these: with more, caches seem to be smaller than they are, and what they hold is forgotten.
	MediumTokens = 256

	mediumFrame = 1 + 16                         // bytes: the framing byte, the digest in hex
	mediumTimes = 4 * MediumTokens / mediumFrame // as long as text at its usual bytes per token
	mostWhole   = 64
)

// mediumSize is how much of a medium has come.
type mediumSize struct {
	size int
	next int    // the checkpoint to come
	sum  uint64 // the digest at the one before it
	url  int    // bytes of "://" that its first colon has begun with; −1: it is no URL that the server fetches
}

// addMedium adds bytes of the current medium.
func (s *Scanner) addMedium(p []byte) {
	m := &s.medium
	s.findURL(p)
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

// longestScheme is more bytes than the scheme of a URL has. Base64 has no colon.
const longestScheme = 32

// findURL notes a medium that the server fetches before it computes the prompt: its text is a URL with an authority (RFC 3986, section
// 3), which data: has none of.
func (s *Scanner) findURL(p []byte) {
	const authority = "://"
	m := &s.medium
	for i := 0; i < len(p) && m.url >= 0 && m.size+i < longestScheme; i++ {
		switch {
		case p[i] == authority[m.url]:
			if m.url++; m.url == len(authority) {
				s.have |= 1 << flagFetched
				m.url = -1
			}
		case m.url > 0:
			m.url = -1
		}
	}
}

// putMedium adds a medium of that digest: as often as makes it as long as text of MediumTokens, so that what it takes to compute is seen
// where it stands in the prompt. Media beyond the first mostWhole of a prompt are given once, so that a small body stays a small prompt.
func (s *Scanner) putMedium(sum uint64, whole bool) {
	s.spare[0] = frameMedium
	bytestr.AppendHex(s.spare[:1], sum, 16)
	times := 1
	if whole && s.media < mostWhole {
		times = mediumTimes
		s.media++
	}
	for range times {
		s.put(s.spare[:])
	}
}
