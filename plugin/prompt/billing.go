package prompt

import "warmroute/plugin/bytestr"

// billing begins a text that Claude Code puts before its system prompt, with a hash that changes in every request. vLLM renders prompts
// without it, so canonical bytes are without it (0.32 and 0.33; on /v1/messages since March 2026, PR 36829):
//   - of Anthropic's messages, a text block of the system prompt that begins so is left out, and the text of a system turn
//     (entrypoints/anthropic/serving.py, _convert_system_message, _extract_system_text);
//   - of any other system text, Anthropic's system string too, its first line, and the text itself if nothing follows (renderers/chat_utils,
//     _strip_claude_code_billing_header; of input items only strings, since their parts are no "text").
//
// Developer turns keep it.
const billing = "x-anthropic-billing-header"

// frameUnsure stands for frameText, until the turn's end, where a text begins with billing and the turn's role has not come. UTF-8 has no
// such byte.
const frameUnsure = 0xC1

// textSink is where the string that begins goes.
func (s *Scanner) textSink() sink {
	turn := s.depth
	switch s.next {
	case sSystem:
		return toBilled
	case sText:
		turn -= 2
	case sPart:
		turn--
	case sContent:
	default:
		return toText
	}
	if turn < s.depth { // of a list
		if s.format == Responses {
			return toText
		}
		if s.frames[turn+1].shape == sSystem {
			return toBilled
		}
	}
	switch f := &s.frames[turn]; {
	case !f.turn || f.role != 0 && f.role != roleSystem:
		return toText
	case f.role == 0:
		return toUnsure
	}
	return toBilled
}

// addBilled compares the beginning of a text with billing. at is how many bytes are alike; one more once the line has ended.
func (s *Scanner) addBilled(p []byte) {
	for i, c := range p {
		frame := byte(frameText)
		switch {
		case s.at == len(billing):
			if c == '\n' && (s.format != Messages || s.next == sSystem) {
				s.at++
			}
			continue
		case s.at < len(billing) && c == billing[s.at]:
			if s.at++; s.at < len(billing) || s.sink != toUnsure {
				continue
			}
			i++
			frame, s.unsure = frameUnsure, true
		}
		s.beginText(frame)
		s.put(p[i:])
		return
	}
}

// beginText begins a text that was compared with billing, with what was alike.
func (s *Scanner) beginText(frame byte) {
	if s.next == sSystem {
		s.putString(shapes[sSystem].strMark[:2])
	}
	s.put1(frame)
	if s.at <= len(billing) {
		s.putString(billing[:s.at])
	}
	s.sink = toText
}

// endText ends a text. An empty content is none to vLLM (renderers/chat_utils, parse_chat_message_content), and empty reasoning none to
// its own encoders (tokenizers/deepseek_v32_encoding.py, renderers/inkling_encoding.py).
func (s *Scanner) endText(mark string) {
	if s.sink > toText && s.at < len(billing) {
		s.beginText(frameText)
	}
	if (s.next == sContent || s.next == sReasoning) && bytestr.HasSuffix(s.text, mark) {
		s.text = s.text[:len(s.text)-len(mark)]
	}
}

// settleBilled does with the texts of a turn what was left until its role was known.
func (s *Scanner) settleBilled(f *frame) {
	s.unsure = false
	start := max(f.mark-s.base, 0)
	text, n := s.text[start:], 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		if c == frameUnsure {
			if c = frameText; f.role == roleSystem {
				i += s.billedBytes(text[i+1:])
				if i+1 == len(text) || framing(text[i+1]) {
					continue
				}
			}
		}
		text[n] = c
		n++
	}
	s.text = s.text[:start+n]
}

// billedBytes is how much of text, which begins with billing, is left out.
func (s *Scanner) billedBytes(text []byte) (n int) {
	for n < len(text) && !framing(text[n]) {
		if n++; text[n-1] == '\n' && s.format != Messages {
			break
		}
	}
	return n
}

func framing(c byte) bool { return c >= frameFirst || c == frameUnsure }
