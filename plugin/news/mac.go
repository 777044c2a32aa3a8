package news

import "warmroute/plugin/bytestr"

// Key is what gateways derive from their secret.
type Key struct{ k0, k1 uint64 }

// NewKey derives a key from a secret, which should have as many random characters as a password that nobody has to
// remember: 32.
func NewKey(secret string) Key {
	return Key{sip(Key{1, 2}, []byte(secret)), sip(Key{3, 4}, []byte(secret))}
}

// Sum is the message authentication code of b: SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF",
// 2012). Without the key neither a code can be made nor the key be found from codes.
func (k Key) Sum(b []byte) uint64 { return sip(k, b) }

// Derive is a number for another use of the secret, such as the seed of the prompts' hashes; it shows nothing of codes.
func (k Key) Derive(use string) uint64 { return sip(Key{k.k1, k.k0}, []byte(use)) }

func sip(k Key, b []byte) uint64 { return bytestr.Sip([2]uint64{k.k0, k.k1}, b) }
