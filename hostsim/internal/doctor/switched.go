package doctor

import (
	"context"
	"encoding/json"
	"fmt"

	"warmroute/hostsim/internal/fetch"
	"warmroute/hostsim/internal/finding"
)

// offKey is the runtime value that turns the module off in examples/envoy/endpoint.yaml, in percent of the requests.
const offKey = "warmroute.off"

// switched says whether the module is switched off by a runtime value: who did it in an incident may have gone home.
func switched(ctx context.Context, o Options) []finding.Finding {
	text, err := fetch.Page(ctx, o.Admin+"/runtime", o.Timeout)
	var page struct {
		Entries map[string]struct {
			Value string `json:"final_value"`
		}
	}
	if err != nil || json.Unmarshal(text, &page) != nil {
		return nil
	}
	value := page.Entries[offKey].Value
	if value == "" || value == "0" {
		return nil
	}
	return []finding.Finding{finding.Weak.At("runtime", fmt.Sprintf("%s is %s: that percentage of the requests is left to Envoy's own choice", offKey, value), "curl -X POST '"+o.Admin+"/runtime_modify?"+offKey+"='")}
}
