package replay

import (
	"warmroute/hostsim/internal/vllm"
	"warmroute/hostsim/internal/vllmpages"
)

// pages are the replicas' pages of metrics as they were made last. Gateways ask for them before anything else happens in a step, so
// that all that ask in one step get the same.
type pages []metricsPage

type metricsPage struct {
	step   int // in which it was made
	text   []byte
	before []byte // the page before, which calls of an earlier step may still read
	form   vllmpages.Form
}

// of is the page in a step, the first of which is 1, of the server whose engines begin with replica i of n.
func (p *pages) of(i, step int, engines []*vllm.Engine, n int) []byte {
	if *p == nil {
		*p = make(pages, n)
	}
	page := &(*p)[i]
	if page.step != step || step == 0 {
		page.step = step
		page.text, page.before = vllmpages.OfReplica(page.before, &page.form, engines...), page.text
	}
	return page.text
}
