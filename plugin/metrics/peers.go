package metrics

import "warmroute/plugin/gossip"

// peers is those of one pool's news from other gateways, defined when the first come.
type peers struct {
	defined                                     bool
	peers, former, age, entries, received, sent metric
}

// showPeers shows what has happened since the last call. One worker knows the other gateways.
func (m *Pool) showPeers(s gossip.Stats, leads bool) {
	p := &m.peers
	if !p.defined {
		*p = peers{
			defined: true, peers: peersKnown.define(m.name), former: peersFormerSecret.define(m.name), age: peerAgeMilliseconds.define(m.name), entries: peerEntriesTotal.define(m.name),
			received: peerBytesTotal.define("received", m.name), sent: peerBytesTotal.define("sent", m.name),
		}
	}
	p.entries.add(int64(s.Entries))
	p.received.add(int64(s.BytesIn))
	p.sent.add(int64(s.BytesOut))
	if leads {
		p.peers.record(uint64(s.Peers))
		p.former.record(uint64(s.Former))
		p.age.record(uint64(s.Age / 1e6))
	}
}

// labelledPeers bounds the gateways that have a label: the proxy never forgets a metric.
const labelledPeers = 64

// PeerFault counts news that are of no use, from a gateway that was asked, or an ask that was refused: then its address is not
// known.
func (m *Set) PeerFault(reason, address string) {
	if _, known := m.faults[address]; !known {
		if len(m.faults) >= labelledPeers {
			address = otherEndpoints
		}
		if m.faults == nil {
			m.faults = make(map[string]*family)
		}
		if m.faults[address] == nil {
			m.faults[address] = &family{id: peerFaultsTotal, rest: []string{address}}
		}
	}
	m.faults[address].add(reason)
}
