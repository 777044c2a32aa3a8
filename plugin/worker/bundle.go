package worker

import (
	"slices"
	"strings"

	"warmroute/plugin/clusters"
	"warmroute/plugin/scout"
)

// Of several pools, calls that go to the same place in the same tick become one: those that ask the admin interface for hosts, and
// those that ask another gateway for its news. The response is divided among the pools as if each had asked by itself.

// bundler collects the calls of the pools' scouts.
type bundler struct {
	to    scout.Caller
	learn func(scout.Call, scout.Fault, int64)
	on    bool // there are several pools
	open  []scout.Call
	sent  map[int][]scout.Call // by the token's negative pool
	last  int
	split clusters.Splitter
}

const (
	bundledHosts = 1024     // hosts that a page may have, as far as the pools know them: about 1.2 KB each
	bundledBytes = 16 << 10 // of a path, or of a header
	bundlesKept  = 256      // that wait for a response; the oldest is given up
)

// get takes a call, now or with others.
func (b *bundler) get(c scout.Call) bool {
	if !b.on || c.Hosts == "" && c.News == "" {
		return b.to.Get(c)
	}
	b.open = append(b.open, c)
	return true
}

// alike says whether two calls can be one.
func alike(a, b *scout.Call) bool {
	return a.Cluster == b.Cluster && a.Endpoint == b.Endpoint && a.Timeout == b.Timeout && a.Secret == b.Secret && (a.News == "") == (b.News == "") && (a.News == "" || a.Path == b.Path)
}

// flush makes the calls that were collected.
func (w *Worker) flush(now int64) {
	b := &w.bundler
	for len(b.open) > 0 {
		one, rest := b.open[:1:1], []scout.Call(nil)
		hosts, size := one[0].Known, len(one[0].Path)+len(one[0].News)
		for _, c := range b.open[1:] {
			grown := size + len(c.Path) + len(c.News) + 1
			if !alike(&one[0], &c) || hosts+c.Known > bundledHosts || grown > bundledBytes {
				rest = append(rest, c)
				continue
			}
			one, hosts, size = append(one, c), hosts+c.Known, grown
		}
		b.open = rest
		w.send(one, now)
	}
}

// send makes one call of several; asks for news go as several even if there is one, for then the answer has a code whatever it says.
// What cannot be made has no response, and the pools are told so.
func (w *Worker) send(calls []scout.Call, now int64) {
	b, c := &w.bundler, calls[0]
	bundled := len(calls) > 1 || c.News != ""
	if bundled {
		b.last++
		c = joined(calls)
		c.Token = scout.Token{Endpoint: c.Token.Endpoint, Pool: -b.last}
		if b.sent == nil {
			b.sent = map[int][]scout.Call{}
		}
		if delete(b.sent, -(b.last - bundlesKept)); true {
			b.sent[-b.last] = calls
		}
	}
	if b.to.Get(c) {
		return
	}
	delete(b.sent, c.Token.Pool)
	for i := range calls {
		w.deliver(calls[i], responseOf(0, nil), now, bundled)
	}
}

// joined is the call that asks for what several ask for.
func joined(calls []scout.Call) scout.Call {
	c := calls[0]
	if c.News != "" {
		var asks []string
		for i := range calls {
			asks = append(asks, calls[i].News)
		}
		c.News = strings.Join(asks, ",")
		if len(asks) == 1 {
			c.News += "," // it is to be answered as one of several
		}
		return c
	}
	c.Path = scout.HostsPath
	var names []string
	for i := range calls {
		if !slices.Contains(names, calls[i].Hosts) {
			names = append(names, calls[i].Hosts)
			if len(names) > 1 {
				c.Path += "%7C" // or
			}
			c.Path += scout.Filter(calls[i].Hosts)
		}
	}
	return c
}

// deliver gives a pool its response; told says that the caller is to learn of it.
func (w *Worker) deliver(c scout.Call, response scout.Response, now int64, told bool) scout.Fault {
	p := w.Numbered(c.Token)
	if p == nil {
		return ""
	}
	fault := p.scout.HandleResponse(c.Token, response, now)
	if told && w.bundler.learn != nil {
		w.bundler.learn(c, fault, now)
	}
	return fault
}

// divide gives each pool its part of the response to a call of several.
func (w *Worker) divide(calls []scout.Call, response scout.Response, now int64) {
	if calls[0].News != "" {
		pages := newsOf(response, joined(calls).News, len(calls), w.gateways.secrets.Keys[calls[0].Secret])
		for i := range calls {
			w.deliver(calls[i], pages[i], now, true)
		}
		return
	}
	s := &w.bundler.split
	s.Reset()
	if response.Status == 200 {
		for from := 0; from < response.Size; from += pieceBytes {
			s.Write(response.Read(from, min(pieceBytes, response.Size-from)))
		}
	}
	parts, ok := s.Close()
	for i := range calls {
		of := response
		if ok {
			of = pageOf(response, parts, calls[i].Hosts)
		}
		w.deliver(calls[i], of, now, true)
	}
}

const pieceBytes = 64 << 10

// pageOf is the page with one cluster's parts of another.
func pageOf(response scout.Response, parts []clusters.Part, cluster string) scout.Response {
	page := []byte(`{"cluster_statuses":[`)
	first := true
	for _, p := range parts {
		if !clusters.Covers(cluster, p.Name) {
			continue
		}
		if !first {
			page = append(page, ',')
		}
		first = false
		page = append(page, response.Read(p.From, p.To-p.From)...)
	}
	return responseOf(200, append(page, `]}`...))
}

func responseOf(status int, body []byte) scout.Response {
	return scout.Response{Status: status, Size: len(body), Read: func(from, size int) []byte {
		return body[min(from, len(body)):min(from+size, len(body))]
	}}
}
