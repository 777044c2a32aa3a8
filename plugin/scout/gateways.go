package scout

import (
	"slices"
	"strings"

	"warmroute/plugin/clusters"
	"warmroute/plugin/gossip"
	"warmroute/plugin/news"
)

// The gateways' addresses are the hosts of a cluster, as the admin interface lists them; the leading worker asks each for its
// news (package gossip) through that cluster.

// EnableGossip makes the worker exchange news with the other gateways of cfg.Peers, under their secrets. fresh is any
// random number, another one in each proxy.
func (s *Scout) EnableGossip(secrets news.Secrets, fresh uint64) {
	p := &s.cfg.Peers
	name := s.leaseKey[len(keyPrefix+"lease."):]
	s.gatewaysPath = HostsPath + Filter(p.Cluster)
	s.gossip = gossip.New(gossip.Options{
		Keys: secrets.Keys, Dialect: gossip.Dialect(secrets.Hashes, s.cfg.BlockBytes, s.board.Name()), Name: name, Fresh: fresh,
		Interval: p.Interval, Timeout: p.Timeout,
	}, s.pool, s.board, s.store)
}

// Gossip is what the worker exchanges with other gateways; nil: nothing.
func (s *Scout) Gossip() *gossip.Gossip { return s.gossip }

// tickGateways asks what is due.
func (s *Scout) tickGateways(now int64) {
	s.gossip.Tick(now, s.leads)
	if !s.leads {
		return
	}
	if len(s.cfg.Peers.Addresses) > 0 {
		if s.peers == nil { // SetPeers puts them in order
			s.peers = slices.Clone(s.cfg.Peers.Addresses)
		}
		s.gossip.SetPeers(s.peers, now)
	} else if d := &s.cfg.Discovery; s.gateways.begin(now, d.Timeout) && !s.caller.Get(Call{
		Cluster: d.AdminCluster, Authority: "admin", Path: s.gatewaysPath, Timeout: d.Timeout, Token: Token{Endpoint: peersToken},
		Hosts: s.cfg.Peers.Cluster,
	}) {
		s.gateways.end(d.Interval)
	}
	s.askGateways(now)
}

func (s *Scout) askGateways(now int64) {
	if !s.reachesGateways() {
		return
	}
	p := &s.cfg.Peers
	for c, ok := s.gossip.Ask(now); ok; c, ok = s.gossip.Ask(now) {
		if !s.caller.Get(Call{
			Cluster: p.Cluster, Authority: c.Address, Path: p.Path, Endpoint: clusters.Name(s.through[c.Address], c.Address), News: c.Header, Secret: c.Secret, Timeout: p.Timeout + c.Hold,
			Token: Token{Endpoint: gatewayToken - c.Peer, epoch: s.gossip.Epoch()},
		}) {
			s.gossip.Unsent(c.Peer, now)
		}
	}
}

// The faults of an answer about gateways, or from one.
const (
	gatewaysUnknown Fault = "the admin interface does not list the gateways"
	gatewayFault    Fault = "a gateway gave no news that can be used: "
)

// Reason is the fault of a gateway's answer in a word, for a metric.
func (f Fault) Reason() string {
	if word, found := strings.CutPrefix(string(f), string(gatewayFault)); found {
		return word
	}
	return string(gossip.NoAnswer)
}

// handleGateway takes the list of gateways, or one's news.
func (s *Scout) handleGateway(token Token, response Response, now int64) Fault {
	if token.Endpoint == peersToken {
		s.gateways.end(s.cfg.Discovery.Interval)
		return s.handleGateways(response, now)
	}
	if s.gossip == nil || token.epoch != s.gossip.Epoch() || !s.leads {
		return ""
	}
	if response.Size > news.MaxPage { // no page is that long
		response.Status, response.Size = 200, 1
	}
	fault := s.gossip.Answered(gatewayToken-token.Endpoint, response.Status, response.Read(0, response.Size), now)
	s.askGateways(now) // what did not fit into the page
	if fault != "" {
		return gatewayFault + Fault(fault)
	}
	return ""
}

// handleGateways takes the admin interface's list of the gateways' addresses.
func (s *Scout) handleGateways(response Response, now int64) Fault {
	if response.Status != 200 {
		return gatewaysUnknown
	}
	s.hostReader.Reset(s.cfg.Peers.Cluster)
	response.copy(&s.hostReader)
	hosts, err := s.hostReader.Close(s.hosts[:0:0])
	if err != nil {
		return gatewaysUnknown + Fault(": "+err.Error())
	}
	var addresses []string
	s.through = nil
	for i := range hosts[:min(len(hosts), news.MaxGateways)] {
		h := &hosts[i]
		addresses = append(addresses, h.Address)
		if h.Listener != "" {
			if s.through == nil {
				s.through = map[string]string{}
			}
			s.through[h.Address] = h.Listener
		}
	}
	s.gossip.SetPeers(addresses, now)
	s.askGateways(now)
	return ""
}
