package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"syscall"

	"warmroute/hostsim/internal/fetch"
	"warmroute/hostsim/internal/promtext"
)

// unreadCure is what to do about a server that answers and has no metrics that the module reads.
const unreadCure = "scrape.path, where they are elsewhere; no key in front of them, for the module sends none; SGLang: --enable-metrics. " +
	"Of a server without vLLM's, SGLang's or TGI's: \"scrape\": {\"path\": \"\"}, and our own counts decide"

// ask asks a replica for its metrics, at the path where the module reads them, its version and its models.
func ask(ctx context.Context, o Options, host, path string) replica {
	r := replica{address: host}
	if err := r.read(ctx, o, cmp.Or(path, "/metrics")); err != nil {
		r.fault, r.refused = err.Error(), errors.Is(err, syscall.ECONNREFUSED)
		return r
	}
	if path == "" { // nor does the module read any
		r.unread = ""
	}
	var version struct{ Version string }
	if text, err := fetch.Page(ctx, "http://"+host+"/version", o.Timeout); err == nil && json.Unmarshal(text, &version) == nil {
		r.version = version.Version
	}
	var models struct{ Data []struct{ ID string } }
	text, err := fetch.Page(ctx, "http://"+host+"/v1/models", o.Timeout)
	if err != nil {
		r.unlisted = err.Error()
	}
	if err == nil && json.Unmarshal(text, &models) == nil {
		var names []string
		for _, m := range models.Data {
			names = append(names, m.ID)
		}
		slices.Sort(names)
		if r.models = strings.Join(names, "+"); len(names) > 0 {
			r.order = orderOf(ctx, host, names[0], o.Timeout)
		}
	}
	return r
}

// read reads a replica's page of metrics. The error is that of a server that does not answer.
func (r *replica) read(ctx context.Context, o Options, path string) error {
	text, err := fetch.Page(ctx, "http://"+r.address+path, o.Timeout)
	if errors.As(err, new(fetch.StatusError)) {
		r.unread = err.Error()
		return nil
	}
	if err != nil {
		return err
	}
	page, err := promtext.Read(text)
	if err != nil {
		r.unread = path + ": " + err.Error()
		return nil
	}
	if !known(page) {
		r.unread = path + " has no metric of vLLM, SGLang or TGI"
	}
	if info := page["vllm:cache_config_info"]; len(info) > 0 {
		r.caching, r.block = info[0].Labels["enable_prefix_caching"], info[0].Labels["block_size"]
	}
	r.ranks, r.named = ranksOf(page)
	return nil
}

// known says whether a page is of a server whose metrics the module reads (plugin/exposition).
func known(page promtext.Page) bool {
	for name := range page {
		for _, server := range []string{"vllm:", "vllm_", "sglang:", "sglang_", "tgi_"} {
			if strings.HasPrefix(name, server) {
				return true
			}
		}
	}
	return false
}
