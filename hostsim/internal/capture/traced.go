package capture

import (
	"strings"

	"warmroute/hostsim/internal/loose"
)

// traced returns the observations of one of Langfuse's traces that has them whole, as its API's "Get trace" answers (api.reference.langfuse.com,
// TraceWithFullDetails): the calls of models among them are the requests, each with the trace's session. nil: o is no such trace.
func traced(o loose.Object) []loose.Object {
	var out []loose.Object
	any := false
	for _, item := range o["observations"].Unquote().Items() {
		one := item.Object()
		if one == nil { // a list of traces names theirs only
			return nil
		}
		any = any || strings.EqualFold(one["type"].Text(), "GENERATION") && one["input"].Filled()
		for _, name := range []string{"sessionId", "session_id"} {
			if o[name].Filled() && one[name] == nil {
				one[name] = o[name]
			}
		}
		out = append(out, one)
	}
	if !any {
		return nil
	}
	return out
}

// resource returns what Azure API Management's log of LLMs has of a call where it is written to storage or an event hub: a record of the
// common schema for resource logs, with the call's own members in properties (learn.microsoft.com, "Azure resource logs"). nil: o is none.
func resource(o loose.Object) []loose.Object {
	properties := o["properties"].Object()
	if properties == nil || !strings.EqualFold(o.Get([]string{"category"}).Text(), "GatewayLlmLogs") {
		return nil
	}
	return []loose.Object{merged(o.Without("properties"), properties)}
}
