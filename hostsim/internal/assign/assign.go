// Package assign assigns requests to replicas by prefix hash, as deep-ml problem 437 asks: the rule is the module's (lrumatch.Matcher), and this
// is its JSON.
package assign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"

	"warmroute/plugin/lrumatch"
)

// Assigned is which replica each request went to, in their order, and what was found.
type Assigned struct {
	Assignments []int       `json:"assignments"`
	CacheHits   int         `json:"cache_hits"`
	HitRatio    json.Number `json:"hit_ratio"` // four places
}

// Read reads the requests, an array of objects with a prefix_hash. Equal hashes become equal numbers, and no others: they are counted, not hashed. Errors: no such array, with the
// place of what is wrong.
func Read(data []byte) ([]uint64, error) {
	var requests []json.RawMessage
	if err := json.Unmarshal(data, &requests); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return nil, fmt.Errorf("an array of requests is needed, not %s", article(wrong.Value))
		}
		return nil, err
	}
	if requests == nil {
		return nil, errors.New("an array of requests is needed, not null")
	}
	hashes := make([]uint64, len(requests))
	known := map[string]uint64{}
	for i, request := range requests {
		key, err := prefixHash(request)
		if err != nil {
			return nil, fmt.Errorf("[%d]%w", i, err)
		}
		if known[key] == 0 {
			known[key] = uint64(len(known) + 1)
		}
		hashes[i] = known[key]
	}
	return hashes, nil
}

// prefixHash is the request's prefix hash in a form that is the same for equal ones only: 1 is 1.0 and not "1".
func prefixHash(request json.RawMessage) (string, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(request, &fields); err != nil || fields == nil {
		return "", fmt.Errorf(": an object is needed, not %s", clip(request))
	}
	raw, found := fields["prefix_hash"]
	if !found {
		return "", errors.New(".prefix_hash: missing")
	}
	switch first := raw[0]; {
	case first == '"':
		var text string
		err := json.Unmarshal(raw, &text)
		return `"` + text, err
	case first != '-' && (first < '0' || first > '9'):
		return "", fmt.Errorf(".prefix_hash: a string or a number is needed, not %s", clip(raw))
	}
	if !bytes.ContainsAny(raw, ".eE") {
		if string(raw) == "-0" {
			return "0", nil
		}
		return string(raw), nil
	}
	number, err := strconv.ParseFloat(string(raw), 64)
	switch {
	case err != nil:
		return "", fmt.Errorf(".prefix_hash: %s is out of range", clip(raw))
	case number == 0:
		return "0", nil
	case number == math.Trunc(number):
		return strconv.FormatFloat(number, 'f', -1, 64), nil
	}
	return strconv.FormatFloat(number, 'g', -1, 64), nil
}

func article(kind string) string {
	if kind == "object" || kind == "array" {
		return "an " + kind
	}
	return "a " + kind
}

// clip shortens what an error quotes.
func clip(raw json.RawMessage) string {
	const most = 40
	if len(raw) <= most {
		return string(raw)
	}
	return string(bytes.ToValidUTF8(raw[:most], nil)) + "…"
}

// Run assigns each hash in turn, where each replica, at least one, remembers so many hashes.
func Run(hashes []uint64, replicas, capacity int) Assigned {
	out := Assigned{Assignments: make([]int, len(hashes))}
	// No replica can remember more hashes than there are.
	match := lrumatch.New(replicas, max(min(capacity, len(hashes)), 1), 0, 0)
	for i, hash := range hashes {
		replica, hit := match.Assign(hash)
		out.Assignments[i] = replica
		if hit {
			out.CacheHits++
		}
	}
	out.HitRatio = json.Number(strconv.FormatFloat(float64(out.CacheHits)/float64(max(len(hashes), 1)), 'f', 4, 64))
	return out
}
