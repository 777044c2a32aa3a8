package scout

import (
	"encoding/binary"
	"slices"

	"warmroute/plugin/models"
)

// The lists of models of the endpoints (package models), which the leading worker reads rarely and publishes for all, little-endian:
// version (1), epoch of the roster (32 bits), endpoints (16), then for each how many models it has (16; unlisted: its list is not
// known), and the models, 32 bits each.
type catalog struct {
	lists       [][]models.Model // by endpoint; nil: not known
	polls       []poll
	last        int    // endpoint that was asked last
	version     uint32 // of the published value that was read last
	unpublished bool
	reader      models.Reader
}

const (
	catalogVersion = 1
	catalogHead    = 7
	unlisted       = 1<<16 - 1

	catalogRetry = 5e9 // nanoseconds until an endpoint is asked again that gave no list
	catalogCalls = 4   // in a tick, at most

	mostOfModels = 512 << 10 // bytes of a list that are read: vLLM takes 550 for a model, and models.Max are kept
)

// keepModels forgets the lists of indices that are other endpoints' by now: the roster has begun a new epoch, and the pool is still that of the one
// before. Without those of the others, requests would go to endpoints that do not serve their model.
func (s *Scout) keepModels() {
	c, rows := &s.catalog, s.roster.rows
	for i := range c.lists {
		if i >= len(rows) || !s.board.IsEndpoint(i, rows[i].endpoint.Address) {
			c.lists[i] = nil
		}
	}
	clear(c.polls)
	c.version, c.unpublished = 0, true
}

// The faults of a list of models.
const (
	modelsNoAnswer Fault = "an endpoint gave no answer when asked for its models"
	modelsError    Fault = "an endpoint answered with an error when asked for its models"
	modelsUnknown  Fault = "an endpoint's list of models is of no form that is known"
)

// requestModels asks the endpoints whose lists are due, a few in each tick.
func (s *Scout) requestModels(now int64) {
	c, of := &s.catalog, &s.cfg.Scrape
	n := len(s.pool.Endpoints)
	for len(c.polls) < n {
		c.polls = append(c.polls, poll{})
	}
	from, calls := c.last, 0
	for step := 1; step <= n && calls < catalogCalls; step++ {
		i := (from + step) % n
		if !s.asksAt(i) || !c.polls[i].begin(now, of.Timeout) {
			continue
		}
		calls++
		call := s.metricsCall(i)
		call.Path, call.Token.models = of.Models, true
		if c.last = i; !s.caller.Get(call) {
			c.polls[i].end(min(of.ModelsInterval, catalogRetry))
		}
	}
}

// handleModels takes the list of an endpoint.
func (s *Scout) handleModels(token Token, response Response) Fault {
	c := &s.catalog
	if token.Endpoint >= len(c.polls) || token.epoch != s.roster.epoch || !s.pool.Present(token.Endpoint) {
		return "" // the endpoint has left
	}
	c.polls[token.Endpoint].end(min(s.cfg.Scrape.ModelsInterval, catalogRetry))
	if fault := response.fault(modelsNoAnswer, modelsError); fault != "" {
		return fault
	}
	c.reader.Reset()
	response.Size = min(response.Size, mostOfModels)
	response.copy(&c.reader)
	list, ok := c.reader.Close()
	if !ok {
		return modelsUnknown
	}
	c.polls[token.Endpoint].end(s.cfg.Scrape.ModelsInterval)
	s.eachRank(token.Endpoint, func(i, _ int) {
		if i >= len(c.lists) || c.lists[i] == nil || !slices.Equal(c.lists[i], list) {
			c.set(i, append(make([]models.Model, 0, len(list)), list...))
			s.pool.SetModels(i, c.lists[i])
		}
	})
	return ""
}

// publishModels publishes the lists, if they are new.
func (s *Scout) publishModels() {
	c := &s.catalog
	if !c.unpublished {
		return
	}
	c.unpublished = false
	s.buffer = c.append(s.buffer[:0], s.roster.epoch)
	s.store.Set(s.modelsKey, s.buffer, 0)
}

func (c *catalog) append(dst []byte, epoch uint32) []byte {
	dst = append(dst, catalogVersion)
	dst = binary.LittleEndian.AppendUint32(dst, epoch)
	dst = binary.LittleEndian.AppendUint16(dst, uint16(len(c.lists)))
	for _, list := range c.lists {
		if list == nil {
			dst = binary.LittleEndian.AppendUint16(dst, unlisted)
			continue
		}
		dst = binary.LittleEndian.AppendUint16(dst, uint16(len(list)))
		for _, m := range list {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(m))
		}
	}
	return dst
}

// readModels takes over the lists that were published.
func (s *Scout) readModels() {
	c := &s.catalog
	value, version, ok := s.store.Get(s.modelsKey)
	if !ok || version == c.version || !c.read(value, s.roster.epoch) {
		return
	}
	c.version = version
	s.applyModels()
}

// read takes over a published value of the same epoch; false if it is not one.
func (c *catalog) read(value []byte, epoch uint32) bool {
	if len(value) < catalogHead || value[0] != catalogVersion || binary.LittleEndian.Uint32(value[1:]) != epoch {
		return false
	}
	c.lists = c.lists[:0]
	rest := value[catalogHead:]
	for range binary.LittleEndian.Uint16(value[5:]) {
		if len(rest) < 2 {
			return false
		}
		n := int(binary.LittleEndian.Uint16(rest))
		if rest = rest[2:]; n == unlisted {
			c.lists = append(c.lists, nil)
			continue
		}
		if n > models.Max || len(rest) < 4*n {
			return false
		}
		list := make([]models.Model, n)
		for k := range list {
			list[k] = models.Model(binary.LittleEndian.Uint32(rest[4*k:]))
		}
		c.lists, rest = append(c.lists, list), rest[4*n:]
	}
	return true
}

// inheritModels lets data-parallel ranks begin with the list of their server.
func (s *Scout) inheritModels() {
	c := &s.catalog
	for i := range s.roster.rows {
		e := &s.roster.rows[i].endpoint
		from, known := s.roster.where[e.Server()]
		if !known || from == i || from >= len(c.lists) || c.lists[from] == nil || i < len(c.lists) && c.lists[i] != nil {
			continue
		}
		c.set(i, c.lists[from])
	}
}

// set sets the list of endpoint i.
func (c *catalog) set(i int, list []models.Model) {
	for len(c.lists) <= i {
		c.lists = append(c.lists, nil)
	}
	c.lists[i], c.unpublished = list, true
}

// applyModels tells the pool what is known: an endpoint that has left and come back has forgotten it.
func (s *Scout) applyModels() {
	for i, list := range s.catalog.lists {
		if i < len(s.pool.Endpoints) && s.pool.Present(i) {
			s.pool.SetModels(i, list)
		}
	}
}
