package models

import (
	"slices"

	"warmroute/plugin/exposition"
)

// Served is the models that each endpoint of a pool serves, by index, as its own list says. The zero value knows none.
type Served struct {
	of [][]Model           // nil: not known
	by map[uint32][]uint64 // the endpoints that serve a model, by its key: a bit for each
}

// mostListed bounds the models that are told apart in a pool. One beyond it counts as served by all.
const mostListed = 8192

// Set sets what endpoint i serves; nil: it is not known. The list is kept. It says whether that is another one than before.
func (s *Served) Set(i int, list []Model) (changed bool) {
	if s.by == nil {
		if list == nil {
			return false
		}
		s.by = map[uint32][]uint64{}
	}
	for len(s.of) <= i {
		s.of = append(s.of, nil)
	}
	if (s.of[i] == nil) == (list == nil) && slices.Equal(s.of[i], list) {
		return false // each change of the endpoints tells all lists again
	}
	for _, m := range s.of[i] {
		s.clear(m.Key(), i)
	}
	s.of[i] = list
	for _, m := range list {
		s.set(m.Key(), i)
	}
	return true
}

func (s *Served) set(key uint32, i int) {
	row, known := s.by[key]
	if !known && len(s.by) >= mostListed {
		return
	}
	for len(row) <= i/64 {
		row = append(row, 0)
	}
	row[i/64] |= 1 << (i % 64)
	s.by[key] = row
}

func (s *Served) clear(key uint32, i int) {
	row := s.by[key]
	if i/64 >= len(row) {
		return
	}
	row[i/64] &^= 1 << (i % 64)
	for _, word := range row {
		if word != 0 {
			return
		}
	}
	delete(s.by, key)
}

// By is the endpoints that serve a model of that name: all, if none lists it.
func (s *Served) By(model []byte) Servers {
	if len(model) == 0 || s.by == nil {
		return Servers{}
	}
	row := s.by[exposition.Adapter(model)]
	if row == nil {
		return Servers{}
	}
	return Servers{row, s.of}
}

// Known says whether the list of endpoint i is known.
func (s *Served) Known(i int) bool { return i < len(s.of) && s.of[i] != nil }

// Alike says whether the lists of two endpoints, both known, are the same.
func (s *Served) Alike(i, k int) bool { return slices.Equal(s.of[i], s.of[k]) }

// Any says whether any endpoint's list names a model.
func (s *Served) Any() bool { return len(s.by) > 0 }

// Lacks says whether no list that is known has the model, though it would be there if one had.
func (s *Served) Lacks(model []byte) bool {
	return s.by != nil && len(model) > 0 && s.by[exposition.Adapter(model)] == nil && len(s.by) < mostListed
}

// NoteAdapters notes those that endpoints' lists name as adapters.
func (s *Served) NoteAdapters(in *Adapters) {
	for _, list := range s.of {
		in.NoteAll(list)
	}
}

// Servers is the endpoints that serve a model. The zero Servers is all.
type Servers struct {
	row []uint64
	of  [][]Model
}

// All says whether they are all endpoints, as far as is known.
func (s *Servers) All() bool { return s.row == nil }

// Has says whether endpoint i is one of them. One whose list is not known is.
func (s *Servers) Has(i int) bool {
	return s.row == nil || i >= len(s.of) || s.of[i] == nil || s.Lists(i)
}

// Lists says whether endpoint i's list of models has it.
func (s *Servers) Lists(i int) bool { return i/64 < len(s.row) && s.row[i/64]>>(i%64)&1 == 1 }

// Group tells endpoints that serve one model from those that serve others, where not all endpoints serve it. Two that meet in one number
// are taken for one. It is never 0.
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
