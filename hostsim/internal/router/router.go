// Package router is what decides in a run, as the run sees it: our module, the same code natively (package ours), or another project's
// policy (package peers).
package router

import (
	"strings"

	"warmroute/hostsim/internal/vllm"
)

// Request is what a client sends.
type Request struct {
	Path    string
	Headers [][2]string // beside :method, :path, :authority and content-type, which are those of a JSON POST
	Body    []byte      // valid during Begin
	Chunk   int         // bytes of the body that arrive at a time; 0: all at once
	Blocks  []uint64    // the hashes of the prompt's full blocks, as replicas cache them, for an engine that hears of these
	Memo    *any        // where several engines are shown it: what package peers' have read of it
}

// Ticket is a request under way. Headers must be called once, then Chunk until one ends the answer, or else Cancel.
type Ticket interface {
	// Decision is as the module's property says it: name=value pairs joined by ';'; "" when the request was passed on
	// unsteered.
	Decision() string
	// Endpoints are the addresses to try, in order; for the target cluster, the one cluster's name; for hash, the key.
	Endpoints() []string
	// Headers tells the gateway that the replica at that address answers.
	Headers(served string, status int, contentType string)
	// Chunk tells it a part of the answer's body.
	Chunk(part []byte, ends bool)
	// Cancel tells it that the client has hung up, at any time before the answer's end. Nothing follows.
	Cancel()
}

// Answer tells t a whole answer at once.
func Answer(t Ticket, served string, status int, contentType string, body []byte) {
	t.Headers(served, status, contentType)
	t.Chunk(body, true)
}

// Engine decides requests. It belongs to one goroutine.
type Engine interface {
	// Begin shows r to a worker, 0 ≤ worker < the engine's workers.
	Begin(worker int, r *Request) (Ticket, error)
	// Advance lets time pass until now, in ns; it never goes back.
	Advance(now int64)
	// Next is when the engine has something to do by itself; false when never.
	Next() (now int64, ok bool)
	Close() error
}

// Holder is an engine that may hold a request: its ticket is then Held, says nothing of a decision, and is answered only after Freed
// has returned it.
type Holder interface {
	// Freed are the tickets that are held no longer since the last call, the one that came first first.
	Freed() []Ticket
}

// Held says whether a ticket's request is held.
func Held(t Ticket) bool {
	h, may := t.(interface{ Held() bool })
	return may && h.Held()
}

// Scraper is an engine that reads the replicas' metrics.
type Scraper interface {
	// ScrapeEvery is how often, in ns; 0: never.
	ScrapeEvery() int64
	// Scraped tells it what the page of the replica at an address says.
	Scraped(address string, s vllm.Stats)
}

// Caches says how many leading blocks of a prompt the replica at an address holds in its KV memory, and how many after these in host
// memory.
type Caches func(address string, blocks []uint64) (held, inHost int)

// Hearer is an engine that may hear of each block that a replica's cache stores or evicts, as by vLLM's KV events, so that it knows
// what caches hold.
type Hearer interface {
	// Hear gives an engine what it hears, where blocks have blockSize tokens, before its first request. It returns whether it listens: then
	// requests have Blocks.
	Hear(blockSize int, caches Caches) bool
}

// Calibrated is an engine that is told how fast its replicas compute prompts.
type Calibrated interface {
	// Calibrate tells it the tokens a second of a prompt that fills one step of an idle replica.
	Calibrate(rate float64)
}

// Pages is what the replica at an address answers under a path: its metrics, valid until it has made two more pages, or its list of models, as
// vLLM writes them; nil: not found.
type Pages func(address, path string) []byte

// Scraped is an engine whose own calls to replicas are answered.
type Scraped interface{ Answers(Pages) }

// Peered is an engine that exchanges news with others.
type Peered interface {
	// Connect gives the engine what carries its asks to an address. The answer may never come; done takes an HTTP status, and a
	// body that is valid during the call.
	Connect(send func(to, ask string, done func(status int, page []byte)))
	// Serve answers an ask that came to a worker, now or when there is something to tell. The page is valid during the call.
	Serve(worker int, ask string, answer func(status int, page []byte))
}

// Watcher is an engine that is told of replicas that have joined and left, as one that watches the platform's list of them.
type Watcher interface {
	// Watch takes addresses. One that has left and come back is in both: left comes first.
	Watch(joined, left []string)
}

// IsHosts says whether a call's path asks the admin interface.
func IsHosts(path string) bool { return strings.HasPrefix(path, "/clusters?") }

// Ranked is a ticket whose request may name its rank.
type Ranked interface {
	// Rank is in decimal digits, "" if it names none.
	Rank() string
}

// Starter is an engine that can start at another time than 0: it has not waited for anything before.
type Starter interface{ StartAt(now int64) }

// The cluster and the port by which gateways of a run ask each other for news.
const (
	GatewaysCluster = "gateways"
	NewsPort        = 9902
)
