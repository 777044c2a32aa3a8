package bench

import (
	"fmt"
	"net/url"
	"strings"
)

// Target is a server that is measured.
type Target struct{ Name, URL string }

// ParseTargets reads servers, each http://host:port or NAME=URL; without a name it is host:port. remote allows addresses that are not
// loopback. Errors: a URL that is not allowed, and a name that is given twice.
func ParseTargets(texts []string, remote bool) ([]Target, error) {
	var out []Target
	for _, text := range texts {
		name, address, named := strings.Cut(text, "=")
		if !named || strings.Contains(name, "://") {
			name, address = "", text
		}
		if err := CheckURL(address, remote); err != nil {
			return nil, err
		}
		if u, err := url.Parse(address); name == "" && err == nil {
			name = u.Host
		}
		for _, other := range out {
			if other.Name == name {
				return nil, fmt.Errorf("--url: %s is given twice; NAME=URL gives one another name", name)
			}
		}
		out = append(out, Target{name, address})
	}
	return out, nil
}

// Turn is which of n targets is the i-th of a round, both from 0: each round begins with the next one, and after n rounds the order is
// reversed, so that none gains by its place.
func Turn(i, round, n int) int {
	at := (i + round) % n
	if round/n%2 == 1 {
		at = n - 1 - at
	}
	return at
}
