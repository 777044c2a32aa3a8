package chats

import (
	"regexp"
	"strings"

	"warmroute/hostsim/internal/loose"
)

// What logs have in place of a text: a word that says so, such as [REDACTED], redacted-by-litellm and ***, or a hash.
var (
	placeholder = regexp.MustCompile(`(?i)^[^\pL\pN]*(?:pii[ _-]?)?(?:redacted|masked|removed|hidden|scrubbed|omitted|filtered|anonymi[sz]ed|sanitized)(?:[ _-](?:by[ _-][\w-]+|content|text|message|prompt|pii|for privacy))?[^\pL\pN]*$|^[*•█]{2,}$|^[xX]{4,}$`)
	digest      = regexp.MustCompile(`^(?i:(?:sha-?\d*|md5|hmac|blake\w*|hash)[^\pL\pN]*(?:\d{3})?[:=_-])?[0-9a-fA-F]{32,128}$|^[A-Za-z0-9+/]{43}=$`)
)

// maxHidden bounds the bytes of what stands for a text.
const maxHidden = 160

// Hidden says whether a log has something else in place of all that users and the model have said in a body. A system prompt may be there.
func Hidden(body loose.Object) bool {
	turns := body["messages"].Unquote().Items()
	if turns == nil {
		for _, name := range []string{"prompt", "input"} {
			if turns = body[name].Unquote().Items(); turns == nil && body[name].Filled() {
				return replaced(body[name].Text())
			}
		}
	}
	any := false
	for _, turn := range turns {
		m := turn.Object()
		if role := Role(m["role"].Text()); role == "system" || role == "developer" {
			continue
		}
		if text := wordsOf(m["content"]); text == "" || !replaced(text) {
			return false
		}
		any = true
	}
	return any
}

func replaced(text string) bool {
	if text = strings.TrimSpace(text); len(text) > maxHidden {
		return false
	}
	return placeholder.MatchString(text) || digest.MatchString(text)
}

// wordsOf is a message's text: a string, or the first of its parts.
func wordsOf(content *loose.Value) string {
	if parts := content.Items(); len(parts) > 0 {
		return loose.FirstOf(parts[0].Object()["text"], parts[0].Object()["content"]).Text()
	}
	return content.Text()
}
