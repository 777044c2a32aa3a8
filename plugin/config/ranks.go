package config

import "strconv"

// Servers with data-parallel ranks (vLLM's --data-parallel-size, SGLang's --dp-size) have one port and a prefix cache for each rank. Unless a
// request names its rank, the server chooses one by load alone. So each rank is an Endpoint of its own, with the address ip:port#rank.

// RankHeader names the rank, in decimal digits, to vLLM and SGLang.
const RankHeader = "x-data-parallel-rank"

// rankMark is between a server's address and the rank.
const rankMark = '#'

// RankAddress is the address of a server's rank.
func RankAddress(server, rank string) string { return server + string(rankMark) + rank }

// SplitRank is the server of an endpoint's address, and the rank in digits; "" where the server is the endpoint.
//
//go:noinline
func SplitRank(address string) (server, rank string) {
	for i := len(address) - 1; i >= max(len(address)-3, 0); i-- {
		if address[i] == rankMark {
			return address[:i], address[i+1:]
		}
	}
	return address, ""
}

// Server is the address of the endpoint's server: ip:port.
func (e *Endpoint) Server() string {
	server, _ := SplitRank(e.Address)
	return server
}

// IsRank says whether the endpoint is a data-parallel rank of its server.
func (e *Endpoint) IsRank() bool {
	_, rank := SplitRank(e.Address)
	return rank != ""
}

// IsFirstRank says whether the endpoint is its server, or the first of its ranks: what all have in common is asked for once.
func (e *Endpoint) IsFirstRank() bool {
	_, rank := SplitRank(e.Address)
	return rank == "" || rank == "0"
}

// LearnsRanks says whether servers have as many ranks as their pages of metrics name. Where the choice is a property, a filter behind this one has
// to make the rank a header, else servers choose as if none were known.
func (p *Pool) LearnsRanks() bool {
	return p.DataParallelRanks == 0 && p.Steer.Target != TargetHash && p.Scrape.Path != "" && p.Ring.Vnodes <= MaxDiscoveredVnodes
}

// MayNameRanks says whether requests may name a rank to their server.
func (p *Pool) MayNameRanks() bool { return p.DataParallelRanks > 1 || p.LearnsRanks() }

// spreadRanks makes an endpoint of each rank of each server that is listed.
func (p *Pool) spreadRanks() {
	if p.DataParallelRanks < 2 {
		return
	}
	var ranks []Endpoint
	for _, e := range p.Endpoints {
		server := e.Address
		for r := range p.DataParallelRanks {
			e.Address = RankAddress(server, strconv.Itoa(r))
			ranks = append(ranks, e)
		}
	}
	p.Endpoints = ranks
}
