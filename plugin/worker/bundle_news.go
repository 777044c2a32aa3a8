package worker

import (
	"encoding/binary"
	"strings"

	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
	"warmroute/plugin/scout"
)

// A header with several asks, with commas between them, is answered by one body: a byte 'B' and a version, then for each ask the
// length of its page (32 bits, little-endian) and the page; in place of a length noPool, where the gateway has no such pool yet, or
// later, where the body is full.
const (
	bundleTag     = 'B'
	bundleVersion = 1
	noPool        = 1<<32 - 1
	later         = 1<<32 - 2

	// mostAsks bounds the asks of a header.
	mostAsks = 256
)

// Answer makes the page that answers an ask for the news of a pool. Hashing: the worker has no such pool; Secret: it has another one.
func (w *Worker) Answer(ask []byte, now int64) (page []byte, fault gossip.Fault) {
	fault = gossip.NoAnswer // no pool shares news
	for _, p := range w.pools {
		g := p.Gossip()
		if g == nil {
			continue
		}
		if page, fault = g.Answer(ask, now); fault != gossip.Hashing {
			return page, fault // a wrong secret is wrong for all pools: a stranger's ask is to cost little
		}
	}
	if len(w.finder.patterns) > 0 && fault != gossip.Secret { // it may come
		fault = gossip.Unknown
	}
	return nil, fault
}

// AnswerNews answers the asks of a header; answer makes the page of one. A fault is for all.
func AnswerNews(header string, answer func(ask []byte) ([]byte, gossip.Fault)) (body []byte, fault gossip.Fault) {
	if strings.IndexByte(header, ',') < 0 {
		return answer(news.FromHex(header))
	}
	body = []byte{bundleTag, bundleVersion}
	answered := false
	for n := 0; header != ""; n++ {
		var ask string
		ask, header, _ = strings.Cut(header, ",")
		if n == mostAsks {
			return nil, gossip.Format
		}
		if len(body) > news.MaxPage/2 {
			body = binary.LittleEndian.AppendUint32(body, later)
			continue
		}
		page, wrong := answer(news.FromHex(ask))
		switch wrong {
		case "":
			answered = true
			body = append(binary.LittleEndian.AppendUint32(body, uint32(len(page))), page...)
		case gossip.Hashing, gossip.Unknown:
			answered = true // the secret is right
			body = binary.LittleEndian.AppendUint32(body, noPool)
		default:
			fault = wrong
			body = binary.LittleEndian.AppendUint32(body, noPool)
		}
	}
	if !answered {
		return nil, fault
	}
	return body, ""
}

// newsOf is the response to each of n asks.
func newsOf(response scout.Response, n int) []scout.Response {
	list := make([]scout.Response, n)
	for i := range list {
		list[i] = responseOf(response.Status, nil)
	}
	if response.Status != 200 {
		return list
	}
	for i := range list {
		list[i] = responseOf(200, []byte{0}) // no page
	}
	var body []byte
	if response.Size <= 2*news.MaxPage {
		body = response.Read(0, response.Size)
	}
	if len(body) < 2 || body[0] != bundleTag || body[1] != bundleVersion {
		return list
	}
	rest := append([]byte(nil), body[2:]...) // the pools' answers may lead to other calls
	for i := range list {
		if len(rest) < 4 {
			break
		}
		size := binary.LittleEndian.Uint32(rest)
		rest = rest[4:]
		switch {
		case size == noPool:
			list[i] = responseOf(gossip.NoPool, nil)
		case size == later:
			list[i] = responseOf(gossip.Later, nil)
		case size > news.MaxPage || int(size) > len(rest):
			return list
		default:
			list[i], rest = responseOf(200, rest[:size:size]), rest[size:]
		}
	}
	return list
}
