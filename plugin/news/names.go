package news

import "encoding/binary"

// An address or an incarnation is written once in a page, behind its number in it, and is that number from then on.

// endpoint writes an address as its number in the page, the first time with the address behind it.
func (w *Writer) endpoint(address string) bool {
	for i, known := range w.endpoints {
		if known == address {
			w.page = binary.AppendUvarint(w.page, uint64(i))
			return true
		}
	}
	if len(address) == 0 || len(address) > maxAddress || len(w.endpoints) == MaxEndpoints {
		return false
	}
	w.page = binary.AppendUvarint(w.page, uint64(len(w.endpoints)))
	w.page = append(append(w.page, byte(len(address))), address...)
	w.endpoints = append(w.endpoints, address)
	return true
}

// gateway writes an incarnation alike.
func (w *Writer) gateway(incarnation uint64) bool {
	for i, known := range w.gateways {
		if known == incarnation {
			w.page = binary.AppendUvarint(w.page, uint64(i))
			return true
		}
	}
	if len(w.gateways) == MaxGateways {
		return false
	}
	w.page = binary.AppendUvarint(w.page, uint64(len(w.gateways)))
	w.page = binary.LittleEndian.AppendUint64(w.page, incarnation)
	w.gateways = append(w.gateways, incarnation)
	return true
}

func (r *Reader) endpoint() (address string, ok bool) {
	n, ok := r.uvarint(uint64(len(r.endpoints)))
	switch {
	case !ok:
		return "", false
	case int(n) < len(r.endpoints):
		return r.endpoints[n], true
	case n == MaxEndpoints || len(r.rest) == 0 || r.rest[0] == 0 || r.rest[0] > maxAddress || len(r.rest) <= int(r.rest[0]):
		return "", false
	}
	length := int(r.rest[0])
	if last := r.endpoints[:cap(r.endpoints)]; int(n) < len(last) && last[n] == string(r.rest[1:1+length]) {
		address = last[n] // most pages have what the last one had
	} else {
		address = string(r.rest[1 : 1+length])
	}
	r.endpoints, r.rest = append(r.endpoints, address), r.rest[1+length:]
	return address, true
}

func (r *Reader) gateway() (incarnation uint64, ok bool) {
	n, ok := r.uvarint(uint64(len(r.gateways)))
	switch {
	case !ok:
		return 0, false
	case int(n) < len(r.gateways):
		return r.gateways[n], true
	case n == MaxGateways || len(r.rest) < 8:
		return 0, false
	}
	incarnation = binary.LittleEndian.Uint64(r.rest)
	r.gateways, r.rest = append(r.gateways, incarnation), r.rest[8:]
	return incarnation, true
}
