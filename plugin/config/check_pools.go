package config

import "strings"

// checkPools checks several pools: each by itself, and what two of them may not share.
func (c *Config) checkPools(document *value, f *faults) {
	for _, field := range [...]struct {
		name  string
		given bool
	}{
		{"endpoints", len(c.Endpoints) > 0}, {"discovery.cluster", c.Discovery.Cluster != ""}, {"steer.cluster", c.Steer.Cluster != ""},
	} {
		if field.given {
			f.add(field.name, "refused beside pools: it belongs to one of them")
		}
	}
	if len(f.list) > 0 {
		return // the pools have inherited that
	}
	for i := range c.Pools {
		p, at := &c.Pools[i], index("pools", i)+"."
		fault := c.checkNamed(p)
		if f.take(at, fault); fault == nil && !p.Off {
			c.Of(p).checkOne(document.get("pools").items[i].get("endpoints").list(), f, at)
		}
		for j := range i {
			if field, msg := p.clash(&c.Pools[j]); field != "" {
				f.add(at+field, msg+" "+index("pools", j))
			}
		}
	}
}

// checkNamed checks what a pool has beside the settings of an only one.
func (c *Config) checkNamed(p *NamedPool) *Error {
	models := len(p.Match.Models) > 0
	switch {
	case models && p.Match.Cluster != "":
		return &Error{Field: "match", Msg: "cluster and models are two ways to find a pool; one of them is needed"}
	case p.IsPattern() != (strings.IndexByte(p.Name, '*') >= 0):
		return &Error{Field: "name", Msg: quote(p.Name) + " must have a * if match.cluster has, and only then"}
	case p.Steer.Via != c.Steer.Via:
		return &Error{Field: "steer.via", Msg: p.Steer.Via.String() + " is not that of the top level: requests are held before their pool is known"}
	case models && p.Steer.Via == ViaHeader && p.Steer.Cluster == "" && (p.Steer.Target != TargetCluster || p.Off):
		return &Error{Field: "steer.cluster", Msg: "missing; the cluster of a pool by match.models is needed (discovery.cluster, if that is given)"}
	case p.IsPattern() && len(p.Endpoints) > 0:
		return &Error{Field: "endpoints", Msg: "refused where match.cluster has a *: the endpoints are the hosts of each cluster"}
	}
	return nil
}

// clash says what a pool may not share with another one; "" is nothing.
func (p *NamedPool) clash(other *NamedPool) (field, msg string) {
	rest := p.Match.Cluster == "" && len(p.Match.Models) == 0
	switch {
	case p.Name == other.Name:
		return "name", quote(p.Name) + " is already"
	case rest && other.Match.Cluster == "" && len(other.Match.Models) == 0:
		return "match", "missing; the pool of all other requests is already"
	case p.Match.Cluster != "" && p.Match.Cluster == other.Match.Cluster:
		return "match.cluster", quote(p.Match.Cluster) + " is already in"
	}
	for k, model := range p.Match.Models {
		for _, taken := range other.Match.Models {
			if model == taken {
				return index("match.models", k), quote(model) + " is already in"
			}
		}
	}
	return "", ""
}
