package find

import (
	"slices"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/loose"
)

var (
	errorNames  = []string{"error", "exception"}
	failedWords = []string{"failure", "failed", "error", "errored", "status_code_error"}
	noWords     = []string{"", "-", "none", "null", "nan", "false", "no", "0", "ok", "n/a", `\n`} // what tables have where there is no error; the last MySQL's
)

// failed says whether a record tells that its request was not served, but refused, redirected or broken off. A client asks again for what
// failed, and that would look like a cache hit.
func failed(o loose.Object) bool {
	if o == nil {
		return false
	}
	status, _, _ := strings.Cut(o.Get(statusNames).Text(), " ") // such as "503 Service Unavailable"
	if n, err := strconv.Atoi(status); err == nil && n >= 300 || isFailure(status) {
		return true
	}
	if isFailure(o.Get([]string{"metadata"}).Object()["status"].Text()) || strings.EqualFold(o.Get([]string{"level"}).Text(), "error") { // LiteLLM's, Langfuse's
		return true
	}
	if success := o.Get([]string{"success"}).Words(); strings.EqualFold(success, "false") || success == "0" {
		return true
	}
	return hasError(o) || slices.Contains(batchFailed, o["result"].Object()["type"].Text())
}

// batchFailed are the results of a request in one of Anthropic's batches that has no answer (platform.claude.com, "Batch processing").
var batchFailed = []string{"errored", "canceled", "expired"}

func isFailure(status string) bool { return slices.Contains(failedWords, strings.ToLower(status)) }

// hasError says whether a record or an answer has an error.
func hasError(o loose.Object) bool {
	for _, name := range o.Names(errorNames, false) {
		if isError(o[name]) {
			return true
		}
	}
	return false
}

// isError says whether what stands where an error would be is one.
func isError(raw *loose.Value) bool {
	if inner := raw.Object(); inner != nil {
		for _, v := range inner {
			if isWord(v) {
				return true
			}
		}
		return false
	}
	if list := raw.Unquote().Items(); list != nil {
		return len(list) > 0
	}
	return isWord(raw)
}

func isWord(raw *loose.Value) bool {
	return raw.Filled() && !slices.Contains(noWords, strings.ToLower(strings.TrimSpace(raw.Words())))
}

// fromCache says whether a gateway answered a request from a cache of whole answers of its own, so that no replica saw it: LiteLLM's payloads
// and spend logs have cache_hit (docs.litellm.ai, "StandardLoggingPayload Specification"), Cloudflare's AI Gateway has cached
// (developers.cloudflare.com, "List Gateway Logs"). A server's cache_hit is another thing: its request had to be prefilled.
func fromCache(o loose.Object) bool {
	isTrue := func(name string) bool { return strings.EqualFold(o.Get([]string{name}).Words(), "true") }
	return isTrue("cachehit") && (o["call_type"] != nil || o["cache_key"] != nil) || isTrue("cached") && o.Get([]string{"provider"}).Filled()
}
