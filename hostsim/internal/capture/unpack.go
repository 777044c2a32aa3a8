// Package capture reads what programs that watch calls of models have of them, with the calls' own names for their parts: OpenTelemetry's
// spans and events, as OTLP, Jaeger, Tempo, ClickHouse and Phoenix have them; what Langfuse and LangSmith observe; archives of HTTP, and
// Envoy's tap filter. It makes of each the record that an access log with bodies would have.
package capture

import (
	"encoding/base64"
	"slices"
	"strings"

	"warmroute/hostsim/internal/loose"
)

// Unpack returns the calls that one object has, each as an object by itself: OTLP's and Jaeger's spans, an archive of HTTP, one of Langfuse's
// traces, Envoy's tap, or a resource log of Azure's. nil: o is none of these.
func Unpack(o loose.Object) []loose.Object { return slices.Concat(many(o), tap(o), resource(o)) }

// Many says whether an object is of those that have a list of calls.
func Many(o loose.Object) bool { return len(many(o)) > 0 }

func many(o loose.Object) []loose.Object { return slices.Concat(otlp(o), jaeger(o), har(o), traced(o)) }

// har returns the requests of an archive of HTTP (HAR 1.2), as browsers and proxies save it; nil: o is none.
func har(o loose.Object) []loose.Object {
	var out []loose.Object
	for _, entry := range o["log"].Object()["entries"].Items() {
		e := entry.Object()
		request, response := e["request"].Object(), e["response"].Object()
		out = append(out, loose.Object{
			"start_time": e["startedDateTime"], "duration": e["time"], "method": request["method"], "url": request["url"], "status": response["status"],
			"request_body": request["postData"].Object()["text"], "response_body": response["content"].Object()["text"],
		})
	}
	return out
}

// tap returns the request of one of Envoy's tap filter's buffered traces (envoy.data.tap.v3.HttpBufferedTrace, as JSON); nil: o is none.
func tap(o loose.Object) []loose.Object {
	trace := o["http_buffered_trace"].Object()
	if trace == nil {
		return nil
	}
	request, response := trace["request"].Object(), trace["response"].Object()
	headers := Headers(request["headers"])
	return []loose.Object{{
		"start_time": request["headers_received_time"], "method": headers[":method"], "path": headers[":path"], "status": Headers(response["headers"])[":status"],
		"headers": loose.Made(headers), "request_body": tapBody(request), "response_body": tapBody(response),
	}}
}

// Headers are those of a list, as Envoy's taps and HAR have them, by their names in lower case; none, if it is no such list.
func Headers(list *loose.Value) loose.Object {
	headers := loose.Object{}
	for _, item := range list.Unquote().Items() {
		h := item.Object()
		headers[strings.ToLower(h.Get(headerNames).Text())] = h.Get(headerValues)
	}
	return headers
}

// The members of a header, as loose.Plain gives them: those of HAR, and Envoy's.
var headerNames, headerValues = []string{"name", "key"}, []string{"value", "rawvalue"}

// tapBody is a message's body as a text.
func tapBody(message loose.Object) *loose.Value {
	body := message["body"].Object()
	if s := body["as_string"]; s != nil {
		return s
	}
	bytes, _ := base64.StdEncoding.DecodeString(body["as_bytes"].Text())
	return loose.Made(string(bytes))
}
