package config

import "strings"

// NamedPool is one of several pools.
type NamedPool struct {
	Name  string // in metrics and decisions; has one * if Match.Cluster has
	Match Match
	Off   bool // its requests are Envoy's to choose for
	Pool
}

// Match says which requests are a pool's: those of a cluster, those of models, or if it has neither those of no other pool.
type Match struct {
	Cluster     string   // that the route chose; with one *, each that fits has a pool of its own
	MaxClusters int      // of those, 1 to 1024
	Models      []string // in the body; one that ends in * fits all that begin so
}

// Of is the configuration of one of c.Pools as if it were the only pool.
func (c *Config) Of(p *NamedPool) *Config {
	one := new(Config)
	*one = *c
	one.Pool, one.Pools, one.several = p.Pool, nil, true
	return one
}

// NamesCluster says whether a decision may name the cluster that its request goes to, so that its route has none before.
func (c *Config) NamesCluster() bool {
	if c.Steer.Target == TargetCluster || c.Steer.Cluster != "" {
		return true
	}
	for i := range c.Pools {
		if s := &c.Pools[i].Steer; s.Target == TargetCluster || s.Cluster != "" {
			return true
		}
	}
	return false
}

// IsOneOfSeveral says whether it is one pool's part of a configuration of several: Of.
func (c *Config) IsOneOfSeveral() bool { return c.several }

// ListsModels says whether any pool reads its endpoints' lists of models.
func (c *Config) ListsModels() bool {
	lists := c.Scrape.Models != "" && len(c.Pools) == 0
	for i := range c.Pools {
		lists = lists || c.Pools[i].Scrape.Models != ""
	}
	return lists
}

// IsPattern says whether the pool stands for several, one for each cluster that fits.
func (p *NamedPool) IsPattern() bool { return strings.IndexByte(p.Match.Cluster, '*') >= 0 }

// Found is the pool that a pattern makes for a cluster, if that fits. nil: it does not fit. Its
// endpoints are the cluster's hosts, unless the configuration says otherwise.
func (p *NamedPool) Found(cluster string) *NamedPool {
	before, after, _ := strings.Cut(p.Match.Cluster, "*")
	if len(cluster) <= len(before)+len(after) || !strings.HasPrefix(cluster, before) || !strings.HasSuffix(cluster, after) {
		return nil
	}
	found := new(NamedPool)
	*found = *p
	found.Match.Cluster = cluster
	found.Name = strings.Replace(p.Name, "*", label(cluster[len(before):len(cluster)-len(after)]), 1)
	for _, name := range []*string{&found.Discovery.Cluster, &found.Scrape.Cluster} {
		if *name == p.Match.Cluster {
			*name = cluster
		}
	}
	return found
}

// longestLabel bounds what a pattern's * puts into a name.
const longestLabel = 128

// label is a part of a cluster's name as it may stand in a metric's label and in a decision. One that is changed or cut ends in
// a hash of all of it, so that two of them stay two.
func label(text string) string {
	b := []byte(text[:min(len(text), longestLabel)])
	for i, c := range b {
		if !isNameByte(c) && c != '|' && c != ':' && c != '/' {
			b[i] = '_'
		}
	}
	if string(b) == text {
		return text
	}
	hash := uint32(2166136261) // FNV-1a (Fowler, Noll, Vo 1991)
	for i := range len(text) {
		hash = (hash ^ uint32(text[i])) * 16777619
	}
	const digits = "0123456789abcdef"
	b = append(b, '-')
	for shift := 28; shift >= 0; shift -= 4 {
		b = append(b, digits[hash>>shift&15])
	}
	return string(b)
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) || c == '-' || c == '_' || c == '.'
}

// fillNamed fills one of several pools, after the base is set. One by cluster finds its endpoints in that cluster, and one by
// model sends its requests to the cluster where it finds them, if nothing else is said; by property, which comes too late for
// the route, it leaves them where that has sent them.
func (n node) fillNamed(p *NamedPool) {
	match := n.at("match")
	n.fillPool(&p.Pool)
	p.Name, p.Off = n.at("name").text(), n.at("off").flag()
	p.Match.Cluster, p.Match.MaxClusters = match.at("cluster").text(), match.at("max_clusters").integer()
	for _, m := range match.at("models").items() {
		p.Match.Models = append(p.Match.Models, m.text())
	}
	if p.Discovery.Cluster == "" && len(p.Endpoints) == 0 && p.Steer.Target != TargetHash && !p.Off {
		p.Discovery.Cluster = p.Match.Cluster
	}
	if p.Steer.Cluster == "" && len(p.Match.Models) > 0 && p.Steer.Target != TargetCluster && p.Steer.Via == ViaHeader {
		p.Steer.Cluster = p.Discovery.Cluster
	}
	if p.Scrape.Cluster == "" && p.Steer.Target == TargetEndpoint && len(p.Endpoints) > 0 {
		p.Scrape.Cluster = p.Match.Cluster
	}
	p.settleScrape()
}

func checkClusterPattern(s string) string {
	if strings.Count(s, "*") > 1 {
		return "has more than one *"
	}
	return checkCluster(s)
}

func checkModelPattern(s string) string {
	if at := strings.IndexByte(s, '*'); at >= 0 && at < len(s)-1 {
		return "has a * that is not its last character"
	}
	return ""
}

func checkPoolName(s string) string {
	stars := 0
	for i := range len(s) {
		if s[i] == '*' {
			stars++
		} else if !isNameByte(s[i]) {
			return "is not a name (letters, digits, '-', '_', '.' and one *)"
		}
	}
	if stars > 1 {
		return "has more than one *"
	}
	return ""
}
