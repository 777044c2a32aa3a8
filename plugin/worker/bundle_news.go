package worker

import (
	"encoding/binary"
	"strings"

	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
	"warmroute/plugin/scout"
)

// A header with several asks, with commas between or behind them, is answered by one body. Its head is a byte 'B', a version, and for
// each ask the length of its page (32 bits, little-endian), or a number above all lengths: noPool, where the gateway has no such
// pool yet; later, where the body is full. A message authentication code under the gateways' secret, over head and header, ends
// the head, and the pages follow, each with a code of its own.
const (
	bundleTag     = 'B'
	bundleVersion = 2
	bundleCode    = 8 // bytes
	noPool        = 1<<32 - 1
	later         = 1<<32 - 2

	// mostAsks bounds the asks of a header.
	mostAsks = 256
)

// Answer makes the page that answers an ask for the news of a pool, and says under which key. Hashing: the worker has no such pool;
// Secret: it has others, and the key is not the asker's.
func (w *Worker) Answer(ask []byte, now int64) (page []byte, key news.Key, fault gossip.Fault) {
	fault = gossip.NoAnswer // no pool shares news
	for _, p := range w.pools {
		g := p.Gossip()
		if g == nil {
			continue
		}
		if page, key, fault = g.Answer(ask, now); fault != gossip.Hashing {
			return page, key, fault // a wrong secret is wrong for all pools: a stranger's ask is to cost little
		}
	}
	if len(w.finder.patterns) > 0 && fault != gossip.Secret { // it may come
		fault = gossip.Unknown
	}
	return nil, key, fault
}

// AnswerNews answers the asks of a header; answer makes the page of one. A fault is for all: nothing is told behind an ask of a stranger.
func AnswerNews(header string, answer func(ask []byte) ([]byte, news.Key, gossip.Fault)) (body []byte, fault gossip.Fault) {
	if strings.IndexByte(header, ',') < 0 {
		body, _, fault = answer(news.FromHex(header))
		if fault == gossip.Unknown {
			fault = gossip.Hashing // who asks so has one pool
		}
		return body, fault
	}
	head, rest := []byte{bundleTag, bundleVersion}, header
	var under news.Key
	for n := 0; rest != ""; n++ {
		var ask string
		ask, rest, _ = strings.Cut(rest, ",")
		if n == mostAsks {
			return nil, gossip.Format
		}
		if len(body) > news.MaxPage/2 {
			head = binary.LittleEndian.AppendUint32(head, later)
			continue
		}
		page, key, wrong := answer(news.FromHex(ask))
		switch wrong {
		case "":
			under = key
			head = binary.LittleEndian.AppendUint32(head, uint32(len(page)))
			body = append(body, page...)
		case gossip.Hashing, gossip.Unknown:
			under = key // the secret is right
			head = binary.LittleEndian.AppendUint32(head, noPool)
		default:
			return nil, wrong
		}
	}
	return append(binary.LittleEndian.AppendUint64(head, bundleSum(head, header, under)), body...), ""
}

// bundleSum is a bundle's code. The header has the numbers that the asker drew, so that it fits no other answer.
func bundleSum(head []byte, header string, key news.Key) uint64 {
	return key.Sum(append(head[:len(head):len(head)], header...))
}

// newsOf is the response to each of the n asks of a header.
func newsOf(response scout.Response, header string, n int, key news.Key) []scout.Response {
	list := make([]scout.Response, n)
	all := func(status int) []scout.Response {
		for i := range list {
			list[i] = responseOf(status, nil)
		}
		return list
	}
	if response.Status != 200 {
		return all(response.Status)
	}
	var body []byte
	if response.Size <= 2*news.MaxPage {
		body = response.Read(0, response.Size)
	}
	size := 2 + 4*n // of the head, without its code
	switch {
	case len(body) < 2 || body[0] != bundleTag:
		return all(gossip.Foreign)
	case body[1] != bundleVersion:
		return all(gossip.Newer)
	case len(body) < size+bundleCode:
		return all(gossip.Foreign)
	case bundleSum(body[:size], header, key) != binary.LittleEndian.Uint64(body[size:]):
		return all(gossip.Forged)
	}
	body = append([]byte(nil), body...) // the pools' answers may lead to other calls
	head, pages := body[2:size], body[size+bundleCode:]
	all(gossip.Foreign)
	for i := range list {
		length := binary.LittleEndian.Uint32(head[4*i:])
		switch {
		case length == noPool:
			list[i] = responseOf(gossip.NoPool, nil)
		case length == later:
			list[i] = responseOf(gossip.Later, nil)
		case length > news.MaxPage || int(length) > len(pages):
			return list
		default:
			list[i], pages = responseOf(200, pages[:length:length]), pages[length:]
		}
	}
	return list
}
