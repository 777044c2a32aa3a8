package pool

import (
	"slices"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/exposition"
	"warmroute/plugin/models"
)

// Which models each endpoint serves, as its own list of them says (GET /v1/models). An endpoint that does not serve a request's
// model would answer 404, so it is chosen only where no endpoint serves it, as far as is known.

// lists is the models of the endpoints.
type lists struct {
	of [][]models.Model    // by endpoint; nil: not known
	by map[uint32][]uint64 // the endpoints that serve a model, by its key: a bit for each
}

// mostListed bounds the models that are told apart in a pool. One beyond it counts as served by all.
const mostListed = 8192

// SetModels sets what endpoint i serves; nil: it is not known. The list is kept.
func (p *Pool) SetModels(i int, list []models.Model) {
	l := p.lists
	if l == nil {
		if list == nil {
			return
		}
		l = &lists{by: map[uint32][]uint64{}}
		p.lists = l
	}
	for len(l.of) <= i {
		l.of = append(l.of, nil)
	}
	if (l.of[i] == nil) == (list == nil) && slices.Equal(l.of[i], list) {
		return // each change of the endpoints tells all lists again
	}
	for _, m := range l.of[i] {
		l.clear(m.Key(), i)
	}
	l.of[i] = list
	for _, m := range list {
		l.set(m.Key(), i)
		if m.IsAdapter() {
			p.noteAdapter(m.Key())
		}
	}
}

func (l *lists) set(key uint32, i int) {
	row, known := l.by[key]
	if !known && len(l.by) >= mostListed {
		return
	}
	for len(row) <= i/64 {
		row = append(row, 0)
	}
	row[i/64] |= 1 << (i % 64)
	l.by[key] = row
}

func (l *lists) clear(key uint32, i int) {
	row := l.by[key]
	if i/64 >= len(row) {
		return
	}
	row[i/64] &^= 1 << (i % 64)
	for _, word := range row {
		if word != 0 {
			return
		}
	}
	delete(l.by, key)
}

// Servers is the endpoints that serve a model. The zero Servers is all.
type Servers struct {
	row []uint64
	of  [][]models.Model
}

// ServersOf is the endpoints of the pool that serve a model of that name: all, if none lists it.
func (p *Pool) ServersOf(model []byte) Servers {
	if p.lists == nil || len(model) == 0 {
		return Servers{}
	}
	row := p.lists.by[exposition.Adapter(model)]
	if row == nil {
		return Servers{}
	}
	return Servers{row, p.lists.of}
}

// Has says whether endpoint i is one of them. One whose list is not known is.
func (s *Servers) Has(i int) bool {
	return s.row == nil || i >= len(s.of) || s.of[i] == nil || i/64 < len(s.row) && s.row[i/64]>>(i%64)&1 == 1
}

// lists says whether endpoint i's list of models has it.
func (s *Servers) lists(i int) bool { return i/64 < len(s.row) && s.row[i/64]>>(i%64)&1 == 1 }

// Group tells endpoints that serve one model from those that serve others: 0 where all endpoints serve it.
func (p *Pool) Group(model []byte) uint64 {
	servers := p.ServersOf(model)
	if servers.row == nil {
		return 0
	}
	for i := range p.ends {
		if p.Present(i) && !servers.Has(i) {
			return servers.Group()
		}
	}
	return 0
}

// Group is Pool.Group where not all endpoints serve the model. Two that meet in one number are taken for one.
func (s *Servers) Group() uint64 {
	const prime = 1<<40 + 0x1b3 // of FNV-1a, 64 bits
	group := uint64(0)
	for i, word := range s.row {
		if word != 0 {
			group = (group ^ word + uint64(i)) * prime
		}
	}
	return group | 1
}

// Lists says whether any endpoint's list of models is known.
func (p *Pool) Lists() bool { return p.lists != nil && len(p.lists.by) > 0 }

// Unlisted says whether the lists of all endpoints are known, and none has the model.
func (p *Pool) Unlisted(model []byte) bool {
	if p.lists == nil || len(model) == 0 || p.lists.by[exposition.Adapter(model)] != nil || len(p.lists.by) >= mostListed {
		return false
	}
	for i := range p.ends {
		if p.Present(i) && (i >= len(p.lists.of) || p.lists.of[i] == nil) {
			return false
		}
	}
	return true
}

// GroupName is a name of the endpoints that are known to serve a model, the same in all gateways; 0 where all serve it, as far as is known.
func (p *Pool) GroupName(model []byte) (name uint32) {
	if p.Group(model) == 0 {
		return 0
	}
	servers := p.ServersOf(model)
	for i := range p.Endpoints {
		if p.Present(i) && servers.lists(i) {
			name += uint32(bytestr.Hash(0, []byte(p.Endpoints[i].Address))) // gateways may have them in another order
		}
	}
	return max(name, 1)
}
