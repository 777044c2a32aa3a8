package answers

// ID finds the name of a response of the Responses API, by which a later request may continue it: the first member "id", which servers
// write first, in a JSON body or in the first event of a stream. It reads the first firstBytes alone, in pieces of any size.
type ID struct {
	read int // bytes
	at   int // what has come of `"id":"`, but for white space
	name [longestID]byte
	size int // of name
	done bool
}

const (
	beforeID   = `"id":"`
	firstBytes = 512
	longestID  = 128 // bytes; vLLM's have 37
)

// Reset begins the next response.
func (d *ID) Reset() { d.read, d.at, d.size, d.done = 0, 0, 0, false }

// Done says that nothing more is to be read.
func (d *ID) Done() bool { return d.done }

// Write reads the response's next bytes and returns its name once, when it has come whole; it is valid until the next call.
func (d *ID) Write(piece []byte) (id []byte) {
	for i := 0; i < len(piece) && !d.done; i++ {
		if d.step(piece[i]) {
			return d.name[:d.size]
		}
	}
	return nil
}

// step reads a byte, and says whether it ends the name.
func (d *ID) step(c byte) (whole bool) {
	d.read++
	switch colon := len(`"id"`); {
	case d.at == len(beforeID) && c == '"':
		d.done = true
		return d.size > 0
	case d.at == len(beforeID):
		if d.done = c == '\\' || d.size == len(d.name); !d.done { // no server has such
			d.name[d.size] = c
			d.size++
		}
		return false
	case c == beforeID[d.at]:
		d.at++
	case d.at >= colon:
		d.done = c > ' '
	case c == beforeID[0]:
		d.at = 1
	default:
		d.at = 0
	}
	d.done = d.done || d.read == firstBytes
	return false
}
