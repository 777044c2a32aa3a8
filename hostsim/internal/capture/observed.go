package capture

import (
	"slices"
	"strings"

	"warmroute/hostsim/internal/loose"
)

// around are what programs that observe agents log around the calls of models, often with the same messages once more.
var around = []string{"span", "agent", "tool", "chain", "retriever", "reranker", "evaluator", "embedding", "guardrail", "prompt", "parser", "workflow", "task", "event", "memory"}

// Besides is the kind of what a program that observes agents has logged around the calls of models, in lower case; "": o is a call, or not
// such a program's.
func Besides(o loose.Object) string {
	if kind := observed(o); slices.Contains(around, kind) {
		return kind
	}
	return ""
}

// observed is the kind of what Langfuse (type), LangSmith (run_type), OpenInference (openinference.span.kind), OpenLLMetry (traceloop.span.kind:
// its calls of models have none) or MLflow (mlflow.spanType, a text of JSON) has observed; "" if o is not theirs.
func observed(o loose.Object) string {
	for _, name := range []string{"run_type", "span_kind", "openinference.span.kind", "traceloop.span.kind", "mlflow.spanType"} {
		if kind := strings.Trim(o[name].Text(), `"`); kind != "" {
			return strings.ToLower(kind)
		}
	}
	if o["traceId"] != nil || o["trace_id"] != nil {
		return strings.ToLower(o["type"].Text())
	}
	return ""
}
