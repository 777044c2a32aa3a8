package news

import "strings"

// Secrets are what a gateway derives from its secrets. While they are changed it knows several.
type Secrets struct {
	Keys   []Key // it asks under the first that the asked gateway knows, and answers under each
	Hashes Key   // of prompts; all gateways must have the same, or they have nothing to tell each other
}

// TooShort is what is wrong with a secret that is not set, or is shorter than 16 characters.
const TooShort = "is not set or has fewer than 16 characters"

const (
	leastSecret = 16

	// mostSecrets bounds the keys that a stranger's ask is tried with.
	mostSecrets = 4

	// onlyHashes marks the secret that prompts are hashed under, where no news are exchanged under it any more.
	onlyHashes = "hash="
)

// IsShort says whether a secret is.
func IsShort(secret string) bool { return len(secret) < leastSecret }

// Open are the secrets of gateways that know each other by their certificates: everybody has them.
func Open() Secrets {
	key := NewKey("gateways with certificates")
	return Secrets{Keys: []Key{key}, Hashes: key}
}

// ReadSecrets reads secrets with commas between them. Prompts are hashed under the one that is marked, else under the last: secrets are
// added in front, and so gateways with and without a new one hash alike. A fault says what is wrong with the text; "" is nothing.
func ReadSecrets(text string) (s Secrets, fault string) {
	marked := false
	for one := range strings.SplitSeq(text, ",") {
		hashes := strings.HasPrefix(one, onlyHashes)
		one = strings.TrimPrefix(one, onlyHashes)
		switch {
		case IsShort(one):
			return s, TooShort
		case len(text) > len(one) && strings.TrimSpace(one) != one:
			return s, "has a space at a comma"
		case hashes && marked:
			return s, "has hash= twice"
		case !hashes && len(s.Keys) == mostSecrets:
			return s, "has more than 4 secrets"
		}
		key := NewKey(one)
		if !hashes {
			s.Keys = append(s.Keys, key)
		}
		if hashes || !marked {
			s.Hashes = key
		}
		marked = marked || hashes
	}
	if len(s.Keys) == 0 {
		return s, "has no secret but that of hashes"
	}
	return s, ""
}
