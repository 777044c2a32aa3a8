package share

import (
	"encoding/binary"

	"warmroute/plugin/news"
	"warmroute/plugin/pool"
	"warmroute/plugin/traffic"
)

// Once in a while each worker writes the speeds that it has learned and, where gateways share news, the one that asks those of other
// gateways, under keys of their own. Little-endian:
//
//	0   generation of the endpoint list, 32 bits
//	4   traffic.Habits, 5 float32
//	24  pool.Speed of all endpoints together, as in news, then that of each endpoint
const speedsHead = 4 + news.HabitsSize

func (b *Board) speedsKey(slot int) string {
	if slot == remoteLog {
		return b.remote.key + ".speeds"
	}
	return b.peer(slot).slotKey + ".speeds"
}

// writeSpeeds writes habits, and the speeds of endpoints −1, 0, 1, ….
func (b *Board) writeSpeeds(slot int, h traffic.Habits, of func(i int) pool.Speed) {
	v := binary.LittleEndian.AppendUint32(b.buffer[:0], uint32(b.generation))
	v = news.AppendHabits(v, (*[5]float64)(&h))
	for i := range len(b.pool.Endpoints) + 1 {
		s := Told(of(i-1), "")
		v = news.AppendSpeed(v, &s)
	}
	b.buffer = v
	b.store.Set(b.speedsKey(slot), v, 0)
}

// Told is a speed as it is told, and Heard one that was.
func Told(s pool.Speed, address string) news.Speed {
	return news.Speed{Address: address, Sums: s.Sums, Lost: s.Lost, Thrash: [2]float64{s.Thrash.Times, s.Thrash.Tokens}}
}

func Heard(s *news.Speed) pool.Speed {
	return pool.Speed{Sums: s.Sums, Lost: s.Lost, Thrash: traffic.Thrash{Times: s.Thrash[0], Tokens: s.Thrash[1]}}
}

// speedsFor is how long what a worker has learned of speeds is told after its last response, in nanoseconds: without an end it would keep the
// others from learning that endpoints have become faster or slower.
const speedsFor = 60e9

// ShareSpeeds lets the workers of a proxy learn from the responses of all, where gateways share nothing; call it about once a second.
// Of many endpoints it takes a turn less often, so that workers do not spend their time on it.
func (b *Board) ShareSpeeds(now int64) {
	every := int64(len(b.pool.Endpoints)/speedsAtOnce+1) * 1e9
	if passed := now - b.sharedAt; len(b.live)+len(b.speeds) == 0 || passed >= 0 && passed < every {
		return
	}
	b.sharedAt = now
	b.TellSpeeds(now)
	b.ReadSpeeds()
}

// speedsAtOnce is of how many endpoints workers share speeds each second.
const speedsAtOnce = 64

// TellSpeeds writes what this worker has learned.
func (b *Board) TellSpeeds(now int64) {
	if b.slot < 0 {
		return
	}
	if all := b.pool.OwnSpeed(-1, now).Sums; all != b.learned || now < b.learnedAt {
		b.learned, b.learnedAt = all, now
	}
	if h := traffic.HabitsOf(&b.pool.Returns, &b.pool.Stays); h != b.habits || now < b.habitsAt {
		b.habits, b.habitsAt = h, now
	}
	b.outdated = now-b.learnedAt > speedsFor
	b.writeSpeeds(b.slot, b.ownHabits(now), func(i int) pool.Speed { return b.ownSpeed(i, now) })
}

// ownSpeed is what this worker tells of endpoint i; −1: of all. What conversations lost fades by itself: if it ended with the speeds, what
// was paid by one that left would be lost again for the others.
func (b *Board) ownSpeed(i int, now int64) pool.Speed {
	s := b.pool.OwnSpeed(i, now)
	if b.outdated {
		return pool.Speed{Thrash: s.Thrash}
	}
	return s
}

// ownHabits are what it tells of its requests: those of a worker without requests say nothing any more.
func (b *Board) ownHabits(now int64) (h traffic.Habits) {
	if now-b.habitsAt <= speedsFor {
		h = traffic.HabitsOf(&b.pool.Returns, &b.pool.Stays)
	}
	return h
}

// TellGatewaysSpeeds writes what other gateways have; of returns that of an endpoint, and of all for −1.
func (b *Board) TellGatewaysSpeeds(h traffic.Habits, of func(i int) pool.Speed) {
	b.writeSpeeds(remoteLog, h, of)
}

// ReadSpeeds takes over what the other workers and gateways have learned.
func (b *Board) ReadSpeeds() {
	b.added = traffic.Habits{}
	all := b.addSpeeds(b.speeds[:0], remoteLog)
	b.speeds = b.peerSpeeds(all)
	b.added.SetOthers(&b.pool.Returns, &b.pool.Stays)
	for i := range b.speeds {
		b.pool.SetOthersSpeed(i-1, &b.speeds[i])
	}
}

// ProxySpeeds is what all workers of this proxy have learned: of requests; of all endpoints together, then of each, valid until the
// next call.
func (b *Board) ProxySpeeds(now int64) (traffic.Habits, []pool.Speed) {
	b.added = b.ownHabits(now)
	b.speeds = b.peerSpeeds(b.Grown(b.speeds[:0]))
	for i := range b.speeds {
		own := b.ownSpeed(i-1, now)
		b.speeds[i] = b.speeds[i].Plus(&own)
	}
	return b.added, b.speeds
}

// Grown is a list of speeds with a place for all endpoints together, and one for each.
func (b *Board) Grown(list []pool.Speed) []pool.Speed {
	for len(list) <= len(b.pool.Endpoints) {
		list = append(list, pool.Speed{})
	}
	return list
}

func (b *Board) peerSpeeds(list []pool.Speed) []pool.Speed {
	for _, slot := range b.live {
		if slot != b.slot {
			list = b.addSpeeds(list, slot)
		}
	}
	return list
}

func (b *Board) addSpeeds(list []pool.Speed, slot int) []pool.Speed {
	list = b.Grown(list)
	value, _, ok := b.store.Get(b.speedsKey(slot))
	if !ok || len(value) < speedsHead || Generation(binary.LittleEndian.Uint32(value)) != b.generation {
		return list
	}
	if h, ok := news.ReadHabits(value[4:]); ok {
		b.added = b.added.Plus((*traffic.Habits)(&h))
	}
	value = value[speedsHead:]
	for i := range list {
		s, rest, ok := news.ReadSpeed(value)
		if !ok {
			break
		}
		heard := Heard(&s)
		list[i], value = list[i].Plus(&heard), rest
	}
	return list
}
