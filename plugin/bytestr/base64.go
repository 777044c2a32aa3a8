package bytestr

// Base64 writes bytes in base64url without padding (RFC 4648, section 5), in pieces of any size.
type Base64 struct {
	bits  uint32
	count uint // of bits
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

// Append appends the digits that b completes.
func (w *Base64) Append(dst, b []byte) []byte {
	for _, c := range b {
		w.bits, w.count = w.bits<<8|uint32(c), w.count+8
		for w.count >= 6 {
			w.count -= 6
			dst = append(dst, base64Digits[w.bits>>w.count&63])
		}
	}
	return dst
}

// Close appends the last digit, if there is one.
func (w *Base64) Close(dst []byte) []byte {
	if w.count > 0 {
		dst = append(dst, base64Digits[w.bits<<(6-w.count)&63])
	}
	w.count = 0
	return dst
}
