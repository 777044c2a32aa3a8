package config

import "strings"

// checkPools checks several pools: each by itself, and what two of them may not share.
func (c *Config) checkPools(document *value) error {
	for _, field := range [...]struct {
		name  string
		given bool
	}{
		{"endpoints", len(c.Endpoints) > 0}, {"discovery.cluster", c.Discovery.Cluster != ""}, {"steer.cluster", c.Steer.Cluster != ""},
	} {
		if field.given {
			return &Error{Field: field.name, Msg: "refused beside pools: it belongs to one of them"}
		}
	}
	for i := range c.Pools {
		if err := c.checkNamed(i, document.get("pools").items[i].get("endpoints").list()); err != nil {
			return err
		}
		for j := range i {
			if field, msg := c.Pools[i].clash(&c.Pools[j]); field != "" {
				return &Error{Field: index("pools", i) + "." + field, Msg: msg + " " + index("pools", j)}
			}
		}
	}
	return nil
}

// checkNamed checks the pool by itself; endpoints are as they were written.
func (c *Config) checkNamed(i int, endpoints []*value) error {
	p, at := &c.Pools[i], index("pools", i)+"."
	models := len(p.Match.Models) > 0
	switch {
	case models && p.Match.Cluster != "":
		return &Error{Field: at + "match", Msg: "cluster and models are two ways to find a pool; one of them is needed"}
	case p.IsPattern() != (strings.IndexByte(p.Name, '*') >= 0):
		return &Error{Field: at + "name", Msg: quote(p.Name) + " must have a * if match.cluster has, and only then"}
	case p.Steer.Via != c.Steer.Via:
		return &Error{Field: at + "steer.via", Msg: p.Steer.Via.String() + " is not that of the top level: requests are held before their pool is known"}
	case models && p.Steer.Via == ViaProperty:
		return &Error{Field: at + "match.models", Msg: "refused where steer.via is property, which comes too late for the route; match.cluster is needed"}
	case models && p.Steer.Cluster == "" && (p.Steer.Target != TargetCluster || p.Off):
		return &Error{Field: at + "steer.cluster", Msg: "missing; the cluster of a pool by match.models is needed (discovery.cluster, if that is given)"}
	case p.IsPattern() && len(p.Endpoints) > 0:
		return &Error{Field: at + "endpoints", Msg: "refused where match.cluster has a *: the endpoints are the hosts of each cluster"}
	}
	if p.Off {
		return nil
	}
	err := c.Of(p).checkOne(endpoints)
	if e, ok := err.(*Error); ok {
		e.Field = at + e.Field
	}
	return err
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
