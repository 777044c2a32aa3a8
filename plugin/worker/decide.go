package worker

import (
	"warmroute/plugin/decision"
	"warmroute/plugin/prompt"
	"warmroute/plugin/route"
	"warmroute/plugin/why"
)

// Decide decides by what is known of the request, and counts it at the decision's first endpoint until End. whole says that
// the body has ended; if not, Write goes on until EndBody. If the request cannot be steered, the code says why.
func (x *Exchange) Decide(whole bool, now int64) (code why.Code) {
	req := &x.byLoad
	if x.reading != nil {
		req = x.reading.Request()
		x.modelless = x.LacksModel() && (!whole || req.Prompt != nil && req.Prompt.Truncated)
	}
	if code = x.decide(req, now); x.modelless && code == "" && x.decision.Why == "" {
		x.decision.Why = why.NoModel
	}
	switch {
	case whole || code != "" || req.Prompt == nil:
		x.EndBody(now)
	case !x.worker.inspector.ReadOn(x.reading):
		x.Leave()
	default:
		x.worker.unsent.add(x)
	}
	return code
}

func (x *Exchange) decide(req *decision.Request, now int64) (code why.Code) {
	req.Now, req.Held, req.Owner = now, x.held, x.owner
	if x.pool == nil {
		x.pool = x.worker.ofRequest(req)
	}
	p, d := x.pool, &x.decision
	switch {
	case p == nil:
		return why.NoPool
	case p.off || x.choice == decision.ChoiceOff:
		return why.Off
	case p.known == nil:
		if code = route.PickKey(p.cfg, req, d); code == "" {
			x.expectResponse(req.Prompt, now)
		}
		return code
	}
	x.unranked = p.hasRanks() && req.Prompt != nil && req.Prompt.Format == prompt.Responses && !p.known.RanksInResponses()
	if x.unranked { // vLLM before 0.33 and SGLang let their own load balancer choose there: nothing is to be believed of a rank's cache
		req.Prompt, req.Why = nil, why.NoRank
	}
	p.board.Sync(now)
	choice, arm, group := p.experiment.choose(x.choice, req)
	if !p.routerOf(choice).Pick(req, d) {
		return why.NoEndpoints
	}
	x.arm, x.group = arm, group
	x.unlisted = p.known.Unlisted(req.Model)
	x.expectResponse(req.Prompt, now)
	x.naming = x.named && (req.Prompt == nil || !req.Prompt.Unstored)
	x.address = p.known.Endpoints[d.Order[0]].Address
	p.known.Begin(&d.Flight, d.Order[0], now)
	p.board.RecordDecided(d.Endpoint(), d.Entered(), now)
	if p.shadow != nil {
		x.shadow.decide(p.shadow, req, x, now)
	}
	x.record(req, now)
	return ""
}
