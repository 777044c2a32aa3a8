package main

import (
	"encoding/binary"
	"time"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/proxy"
	"warmroute/plugin/worker"
)

// When the filter's configuration changes, Envoy keeps the contexts of the one before until its drain time is over (ten
// minutes by default), for connections that are still open. So that hundreds of them cost nothing, a context stands by once
// one of a newer configuration has served requests and it has had none itself for a while: it does not tick, holds no slot
// among the workers and no index, and is ready again at its next request, as after a reload.
//
// Which configuration is the newest is a record in shared data: its serial number, 32 bits, little-endian; its
// hash, 32 bits; and 1 once it has served.
const (
	standbyKey   = "warmroute.1.configuration."
	standbySize  = 9
	standbyAfter = 10e9 // nanoseconds without a request
)

// standby is a context's place among those of other configurations.
type standby struct {
	key    string
	hash   uint32 // of the configuration
	serial uint32
	served bool  // the record says that this configuration has served
	open   int   // streams
	last   int64 // ns: when a stream began or ended
	on     bool
}

// newStandby draws the configuration's number, or finds that of another worker's context.
func newStandby(configuration []byte, t int64) standby {
	name := proxy.FilterName()
	s := standby{key: standbyKey + name, hash: uint32(bytestr.Hash(0, configuration)), last: t}
	serial, hash, served, version := s.read()
	if s.serial = serial; hash != s.hash || serial == 0 {
		s.serial++
		s.write(version)
	} else {
		s.served = served
	}
	return s
}

func (s *standby) read() (serial, hash uint32, served bool, version uint32) {
	value, version, ok := proxy.SharedData{}.Get(s.key)
	if !ok || len(value) != standbySize {
		return 0, 0, false, version
	}
	return binary.LittleEndian.Uint32(value), binary.LittleEndian.Uint32(value[4:]), value[8] != 0, version
}

// write publishes this configuration as the newest. If another worker was faster, that one's stands.
func (s *standby) write(version uint32) {
	value := binary.LittleEndian.AppendUint32(make([]byte, 0, standbySize), s.serial)
	value = binary.LittleEndian.AppendUint32(value, s.hash)
	proxy.SharedData{}.Set(s.key, append(value, bit(s.served)), version)
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// began records that a stream began, and says whether the context must be made ready for it.
func (s *standby) began(t int64) (wakes bool) {
	s.open++
	s.last = t
	if s.served && !s.on {
		return false
	}
	wakes = s.on
	serial, hash, _, version := s.read()
	switch {
	case hash == s.hash && serial >= s.serial:
		s.serial = serial
	case wakes: // it serves again, after a newer one has
		s.serial = serial + 1
	case serial > s.serial:
		return false // a connection from before the change
	}
	s.on, s.served = false, true
	s.write(version)
	return wakes
}

func (s *standby) ended(t int64) { s.open, s.last = s.open-1, t }

// due says whether the context is to stand by.
func (s *standby) due(t int64) bool {
	s.last = min(s.last, t) // the clock may have been set back
	if s.open > 0 || t-s.last < standbyAfter {
		return false
	}
	serial, hash, served, _ := s.read()
	return served && serial > s.serial && hash != s.hash
}

// standBy lets go of all that the context keeps. It may never serve again, so its gauges show nothing from now on.
func (p *plugin) standBy(t int64) {
	p.standby.on = true
	p.showLast(t)
	p.worker.Release()
	p.worker, p.streams = nil, nil
	_ = proxy.SetTick(0)
}

// ready makes the context what it is at its start.
func (p *plugin) ready(t int64) error {
	seed := p.cfg.Seed
	if seed == 0 {
		seed = uint64(t)
	}
	var err error
	if p.worker, err = worker.New(&p.cfg, proxy.SharedData{}, p, seed, t); err != nil {
		return err
	}
	p.worker.Clock = p.clock
	p.worker.OnLearned(p.learned)
	p.worker.JoinGateways(p.secrets, proxy.Random()|1, wake)
	p.period = p.worker.Period()
	return proxy.SetTick(time.Duration(p.period))
}
