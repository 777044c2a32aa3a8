package host

// A Message is a request or a response as it left the proxy.
type Message struct {
	Started  bool  // the headers have left
	At       int64 // when, ns since 1970, virtual
	Headers  Headers
	Pieces   []Piece // of the body, as they left
	Trailers Headers
	Ended    bool
	EndedAt  int64 // ns since 1970, virtual
}

// A Piece is a part of a body.
type Piece struct {
	At   int64 // when it left, ns since 1970, virtual
	Data []byte
}

// Bytes is the size of the body that has left.
func (m *Message) Bytes() int {
	size := 0
	for _, piece := range m.Pieces {
		size += len(piece.Data)
	}
	return size
}

// Body is the body that has left, in one.
func (m *Message) Body() []byte {
	if len(m.Pieces) == 1 {
		return m.Pieces[0].Data
	}
	body := make([]byte, 0, m.Bytes())
	for _, piece := range m.Pieces {
		body = append(body, piece.Data...)
	}
	return body
}
