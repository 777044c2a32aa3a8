package main

import (
	"errors"
	"slices"
	"strings"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/gossip"
	"warmroute/plugin/inspect"
	"warmroute/plugin/metrics"
	"warmroute/plugin/news"
	"warmroute/plugin/proxy"
	"warmroute/plugin/worker"
)

// Gateways tell each other their news (package gossip): the filter that routes asks, and a filter of the role peers, in a listener
// that only gateways reach, answers. Envoy runs both in one VM of each worker where their vm_id, code and vm configuration
// are the same, so the second finds the first here. Where each filter has a VM of its own, the filter that routes is in that
// listener too, with the same configuration, and answers at its port.

// routing are the filters of this VM that share news, the newest last. After a change of the configuration Envoy lets the old
// one live on for a while.
var routing []*plugin

// stopRouting takes the filter off that list.
func (p *plugin) stopRouting() {
	routing = slices.DeleteFunc(routing, func(r *plugin) bool { return r == p }) // which clears the rest, else its index stays
}

// secrets are the gateways' secrets, from the environment: whatever is in the configuration, Envoy's admin interface shows.
func secrets(cfg *config.Config) (news.Secrets, error) {
	if cfg.Peers.Trust == config.TrustMTLS {
		return news.Open(), nil
	}
	s, fault := news.ReadSecrets(proxy.Environment(cfg.Peers.SecretEnv))
	if fault != "" {
		return s, secretFault("peers.secret_env", cfg.Peers.SecretEnv, fault)
	}
	return s, nil
}

// secretOf is the secret in the environment variable that a field names.
func secretOf(field, variable string) (string, error) {
	s := proxy.Environment(variable)
	if news.IsShort(s) {
		return "", secretFault(field, variable, news.TooShort)
	}
	return s, nil
}

// secretFault says what is wrong with the environment variable that a field names.
func secretFault(field, variable, fault string) error {
	return errors.New(field + ": the environment variable " + variable + " " + fault +
		" (vm_config.environment_variables.host_env_keys must name it)")
}

// sharesNews says whether the configuration says so.
func (p *plugin) sharesNews() bool { return p.cfg.Peers.Cluster != "" }

// answerNews starts a filter of the role peers, which answers for those of this VM that route.
func (p *plugin) answerNews() error {
	p.metrics = metrics.New(proxy.Metrics{}, proxy.FilterName(), p.cfg.MetricEndpoints)
	if _, err := secrets(&p.cfg); err != nil {
		return err
	}
	return p.openAskQueue()
}

// shareNews prepares that. It comes before the workers are made, because gateways must hash prompts alike.
func (p *plugin) shareNews() (err error) {
	if !p.sharesNews() {
		return nil
	}
	if p.secrets, err = secrets(&p.cfg); err != nil {
		return err
	}
	p.cfg.Secret = p.secrets.Hashes.Derive("prompts")
	return nil
}

// answer is a request to a filter of the role peers.
type answer struct {
	types.DefaultHttpContext
	plugin *plugin
	id     uint32
}

// OnHttpStreamDone forgets an ask that still waits.
func (a *answer) OnHttpStreamDone() { dropAsk(a.id) }

// OnHttpRequestBody keeps an ask that has a body, which none should, from going on while it waits.
func (a *answer) OnHttpRequestBody(int, bool) types.Action { return types.ActionPause }

// OnHttpRequestTrailers likewise.
func (a *answer) OnHttpRequestTrailers(int) types.Action { return types.ActionPause }

// OnHttpRequestHeaders answers with news, or with an error: nothing goes on from here.
func (a *answer) OnHttpRequestHeaders(int, bool) types.Action {
	method, path, ask := "", "", ""
	for _, pair := range proxy.RequestHeaders() {
		switch pair[0] {
		case ":method":
			method = pair[1]
		case ":path":
			path, _, _ = strings.Cut(pair[1], "?")
		case gossip.Header:
			ask = pair[1]
		}
	}
	if method != "GET" || path != a.plugin.cfg.Peers.Path {
		proxy.SendAnswer(404, nil)
		return types.ActionPause
	}
	return a.plugin.answer(a.id, ask)
}

// answer answers a stream's ask, in place of an upstream, now or when there is something to tell.
func (p *plugin) answer(id uint32, ask string) types.Action {
	if p.cfg.Peers.Trust == config.TrustMTLS && !proxy.IsOwnIdentity() {
		p.refuse(gossip.Identity)
		return types.ActionPause
	}
	ask = strings.Clone(ask) // headers are lent, and so is all that is read for the answer
	t := proxy.Now()
	if waits, fault := p.keep(id, ask, t); fault != "" {
		p.refuse(fault)
	} else if !waits {
		p.respond(ask, t)
	}
	return types.ActionPause
}

// refuse answers an ask without news. Whoever sent it learns as much of the reason as a stranger.
//
//go:noinline
func (p *plugin) refuse(fault gossip.Fault) {
	p.metrics.PeerFault(string(fault), "")
	proxy.SendAnswer(403, nil)
}

func (p *plugin) respond(ask string, t int64) {
	page, fault := worker.AnswerNews(ask, func(one []byte) ([]byte, news.Key, gossip.Fault) { return p.newsFor(one, t) })
	if fault != "" {
		p.refuse(fault)
		return
	}
	proxy.SendAnswer(200, page)
}

// isAsked says whether a request with this head, which has the header of an ask, is for the filter that routes to answer: by
// path, and at the port that only gateways reach.
func (p *plugin) isAsked(head *inspect.Head) bool {
	peers := &p.cfg.Peers
	path, _, _ := strings.Cut(head.Path, "?")
	return peers.ListenerPort > 0 && head.Method == "GET" && path == peers.Path && proxy.LocalPort() == peers.ListenerPort
}

// tellsOf says whether asks that came to this filter, and passed what it trusts by, are for one that routes: one that stands by has no
// news, and one that trusts otherwise would tell them to strangers.
func (p *plugin) tellsOf(r *plugin) bool {
	return r.worker != nil && r.cfg.Peers.Trust == p.cfg.Peers.Trust
}

// newsFor makes the page that answers an ask: of the pool that the asker means. The key is one that only gateways with the asker's secret have.
func (p *plugin) newsFor(ask []byte, t int64) (page []byte, key news.Key, fault gossip.Fault) {
	fault = gossip.NoAnswer // there is no filter that routes
	for i := range routing {
		r := routing[len(routing)-1-i]
		if !p.tellsOf(r) {
			continue
		}
		switch page, its, wrong := r.worker.Answer(ask, t); wrong {
		case gossip.Hashing, gossip.Unknown: // it may mean another filter's pool
			if key = its; fault != gossip.Unknown {
				fault = wrong
			}
		case gossip.Secret, gossip.NoAnswer: // or a filter with another secret
			if fault == gossip.NoAnswer {
				fault = wrong
			}
		default:
			return page, its, wrong
		}
	}
	return nil, key, fault
}
