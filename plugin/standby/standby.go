// Package standby says when a filter's context of a former configuration rests, and when it is needed again.
//
// When the filter's configuration changes, Envoy keeps the contexts of the one before until its drain time is over (ten
// minutes by default), for connections that are still open. So that hundreds of them cost nothing, a context stands by once
// one of a newer configuration has served requests and it has had none itself for a while: it does not tick, holds no slot
// among the workers and no index, and is ready again at its next request, as after a reload. While answers are still under way it
// dozes: it holds no index, and only counts them.
//
// Which configuration is the newest is a record in shared data: its serial number, 32 bits, little-endian; its
// hash, 32 bits; and 1 once it has served.
package standby

import (
	"encoding/binary"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/share"
)

const (
	keyPrefix = "warmroute.1.configuration."
	size      = 9    // of the record, in bytes
	after     = 10e9 // nanoseconds without a request
)

// Context is a context's place among those of other configurations. Times are nanoseconds of a clock that may be set back.
type Context struct {
	key    string
	hash   uint32 // of the configuration
	serial uint32
	served bool  // the record says that this configuration has served
	open   int   // requests
	last   int64 // ns: when a request began or ended
	rests  bool
}

// New draws the number of the configuration of the filter of that name, or finds that of another worker's context. data is the proxy's
// shared data, here and below.
func New(data share.Store, name string, configuration []byte, t int64) Context {
	c := Context{key: keyPrefix + name, hash: uint32(bytestr.Hash(0, configuration)), last: t}
	serial, hash, served, version := c.read(data)
	if c.serial = serial; hash != c.hash || serial == 0 {
		c.serial++
		c.write(data, version)
	} else {
		c.served = served
	}
	return c
}

func (c *Context) read(data share.Store) (serial, hash uint32, served bool, version uint32) {
	value, version, ok := data.Get(c.key)
	if !ok || len(value) != size {
		return 0, 0, false, version
	}
	return binary.LittleEndian.Uint32(value), binary.LittleEndian.Uint32(value[4:]), value[8] != 0, version
}

// write publishes this configuration as the newest. If another worker was faster, that one's stands.
func (c *Context) write(data share.Store, version uint32) {
	value := binary.LittleEndian.AppendUint32(make([]byte, 0, size), c.serial)
	value = binary.LittleEndian.AppendUint32(value, c.hash)
	data.Set(c.key, append(value, bit(c.served)), version)
}

func bit(b bool) byte {
	if b {
		return 1
	}
	return 0
}

// Began records that a request began, and says whether the context stood by, and must be made ready for it.
func (c *Context) Began(data share.Store, t int64) (wakes bool) {
	c.open++
	c.last = t
	if c.served && !c.rests {
		return false
	}
	wakes = c.rests
	serial, hash, _, version := c.read(data)
	switch {
	case hash == c.hash && serial >= c.serial:
		c.serial = serial
	case wakes: // it serves again, after a newer one has
		c.serial = serial + 1
	case serial > c.serial:
		return false // a connection from before the change
	}
	c.rests, c.served = false, true
	c.write(data, version)
	return wakes
}

// Ended records that a request ended that Began was called for.
func (c *Context) Ended(t int64) { c.open, c.last = c.open-1, t }

// Idle says whether no request is open.
func (c *Context) Idle() bool { return c.open == 0 }

// Rests says whether the context stands by: it dozes where requests are open.
func (c *Context) Rests() bool { return c.rests }

// Due says whether the context is to stand by: none of its requests has begun or ended for ten seconds, and a newer configuration has served.
// One that dozes is once its requests have ended.
func (c *Context) Due(data share.Store, t int64) bool {
	if c.rests {
		return c.open == 0
	}
	c.last = min(c.last, t) // the clock may have been set back
	if t-c.last < after {
		return false
	}
	serial, hash, served, _ := c.read(data)
	return served && serial > c.serial && hash != c.hash
}

// Rest records that the context stands by, until Began.
func (c *Context) Rest() { c.rests = true }
