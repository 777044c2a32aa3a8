package capture

import (
	"strconv"
	"strings"

	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/loose"
)

// OpenTelemetry's spans and events of calls to models, by its semantic conventions for generative AI (1.37: gen_ai.input.messages),
// those of OpenLLMetry before them (gen_ai.prompt.0.content), and OpenInference's (llm.input_messages.0.message.content). As OTLP in
// JSON, which the collector's file exporter writes, or with attributes in one object, as the SDKs' console exporters do.

// otlp returns what OTLP has in JSON as one object for each span or event: its attributes, with the time. nil: it is no OTLP.
func otlp(o loose.Object) []loose.Object {
	var out []loose.Object
	for _, kind := range [...][4]string{
		{"resourceSpans", "scopeSpans", "spans", "startTimeUnixNano"}, {"batches", "scopeSpans", "spans", "startTimeUnixNano"}, // the second: Tempo's
		{"resourceLogs", "scopeLogs", "logRecords", "timeUnixNano"},
	} {
		for _, resource := range o[kind[0]].Items() {
			for _, scope := range resource.Object()[kind[1]].Items() {
				for _, one := range scope.Object()[kind[2]].Items() {
					out = append(out, spanRecord(one.Object(), kind[3]))
				}
			}
		}
	}
	return out
}

// spanRecord is the attributes of a span or an event with its times, of which begins names the first.
func spanRecord(span loose.Object, begins string) loose.Object {
	record := attributes(span["attributes"])
	if record == nil {
		record = loose.Object{}
	}
	record["startTime"], record["endTime"] = span[begins], span["endTimeUnixNano"]
	if body := span["body"]; body != nil && record["message"] == nil { // what a collector has read of another log
		record["message"] = plainValue(body, maxNested)
	}
	if name := span["eventName"]; name.Filled() {
		record["event.name"] = name
	}
	if spanFailed(span["status"].Object()) {
		record["status"] = loose.Made("error")
	}
	for _, events := range [][]*loose.Value{span["events"].Items(), record["events"].Unquote().Items()} { // the second Pydantic AI's
		record = merged(record, gathered(events, record))
	}
	for _, event := range span["events"].Items() { // where instrumentations leave the messages to events
		for name, value := range attributes(event.Object()["attributes"]) {
			if record[name] == nil {
				record[name] = value
			}
		}
	}
	return record
}

func spanFailed(status loose.Object) bool {
	code := status["code"].Text()
	return code == "2" || code == "STATUS_CODE_ERROR"
}

// attributes reads a list of OTLP's keys and values.
func attributes(raw *loose.Value) loose.Object {
	var o loose.Object
	for _, item := range raw.Items() {
		pair := item.Object()
		if key := pair["key"].Text(); key != "" {
			if o == nil {
				o = loose.Object{}
			}
			o[key] = plainValue(pair["value"], maxNested)
		}
	}
	return o
}

// maxNested bounds the depth of structured attributes.
const maxNested = 16

// plainValue is an OTLP AnyValue as JSON.
func plainValue(raw *loose.Value, depth int) *loose.Value {
	for name, member := range raw.Object() {
		switch loose.Plain(name) {
		case "stringvalue", "boolvalue", "doublevalue":
			return member
		case "intvalue": // a string, in JSON of protobuf
			return loose.Read([]byte(strconv.Quote(member.Text())))
		case "arrayvalue":
			list := []*loose.Value{}
			for _, item := range member.Object()["values"].Items() {
				if depth > 0 {
					list = append(list, plainValue(item, depth-1))
				}
			}
			return loose.Made(list)
		case "kvlistvalue":
			if depth > 0 {
				o := loose.Object{}
				for _, item := range member.Object()["values"].Items() {
					pair := item.Object()
					o[pair["key"].Text()] = plainValue(pair["value"], depth-1)
				}
				return loose.Made(o)
			}
		}
	}
	return loose.Null
}

// Call makes a record with a chat's members of a span's or event's attributes; false: these are of no call to a model. why
// is what it lacks.
func Call(o loose.Object) (record loose.Object, why string, ok bool) {
	a := o
	if inner := o.Get([]string{"attributes", "spanattributes"}).Object(); inner != nil { // the second ClickHouse's
		a = inner
	} else if inner := attributes(o["attributes"]); inner != nil {
		a = inner
	}
	a = flat(a)
	if kind := Besides(a); kind != "" {
		return nil, "not a call of a model: " + kind, true
	}
	for name := range a {
		ok = ok || strings.HasPrefix(name, "gen_ai.") || strings.HasPrefix(name, "llm.") || name == vercelOperation
	}
	if !ok || chats.IsBody(o) {
		return nil, "", false
	}
	switch operation := a["gen_ai.operation.name"].Text(); operation {
	case "", "chat", "text_completion", "generate_content", "message", "completion":
	default:
		return nil, "not for a prompt: " + operation, true // an agent's span has the messages of the chats below it
	}
	if step := a[vercelOperation].Text(); step != "" && !strings.HasSuffix(step, ".doGenerate") && !strings.HasSuffix(step, ".doStream") {
		return nil, "not for a prompt: " + step, true // it has the calls below it
	}
	if event := a["event.name"].Text(); event == "gen_ai.choice" || strings.HasPrefix(event, "gen_ai.") && strings.HasSuffix(event, ".message") {
		return nil, oneMessage, true
	}
	messages := spanMessages(a)
	if len(messages) == 0 {
		events := gathered(o["events"].Unquote().Items(), a) // where an SDK has written the span
		messages = spanMessages(events)
		a = merged(a, events)
	}
	if len(messages) == 0 {
		if record := withBody(o, a); record != nil {
			return record, "", true
		}
		if o["response_code"] != nil { // an access log, whatever it calls its tokens
			return nil, "", false
		}
		return nil, "a span without its prompt: the instrumentation must capture messages (OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT)", true
	}
	record = callSettings(a)
	record["messages"] = loose.Made(messages)
	if answer := spanAnswer(a); answer != "" {
		record["response"] = loose.Made(map[string]any{"choices": []any{map[string]string{"text": answer}}})
	}
	for _, at := range []loose.Object{o, a} {
		for _, name := range []string{"startTime", "endTime", "start_time", "end_time", "timestamp", "Timestamp", "startTimeUnixNano", "endTimeUnixNano", "status", "StatusCode"} {
			if v := at[name]; v.Filled() && record[name] == nil {
				record[name] = v
			}
		}
	}
	if n, ok := o["Duration"].Whole(); ok && o["SpanAttributes"] != nil { // ns
		record["duration_ms"] = loose.Made(float64(n) / 1e6)
	}
	status := o["status"].Object()
	if status["status_code"].Text() == "ERROR" || spanFailed(status) || a["error.type"].Filled() {
		record["status"] = loose.Made("error")
	}
	return record, "", true
}

// vercelOperation is an attribute of the spans of Vercel's AI SDK (ai-sdk.dev, "Telemetry"): ai.generateText and others have the whole of a
// call of the SDK's, ai.generateText.doGenerate and others each call of a model.
const vercelOperation = "ai.operationId"

// withBody is a record that has a request's body beside attributes of a call: an access log with names of OpenTelemetry's, such as Envoy AI
// Gateway's (aigateway.envoyproxy.io, "Access Logs"), or a span with request_data, such as Logfire's. nil: it has none.
func withBody(o, a loose.Object) loose.Object {
	for _, at := range []loose.Object{o, a} {
		for _, name := range at.Names(nil, true) {
			if body := at[name].Object(); !chats.IsBody(body) {
				continue
			}
			record := o.Without()
			for member, value := range callSettings(a) {
				if member != "tools" && record[member] == nil {
					record[member] = value
				}
			}
			return record
		}
	}
	return nil
}

// oneMessage is why an event of OpenTelemetry before 1.37 is left out.
const oneMessage = "an event with one message of a call (gen_ai.user.message and others, before 1.37): OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental makes instrumentations write a call's messages together"

// callSettings are what a span says of a call beside its messages, under the names of a request and its usage.
func callSettings(a loose.Object) loose.Object {
	record := loose.Object{}
	for name, from := range map[string][]string{
		"model":             {"gen_ai.request.model", "gen_ai.response.model", "llm.model_name"},
		"max_tokens":        {"gen_ai.request.max_tokens"},
		"session_id":        {"gen_ai.conversation.id", "session.id", "ai.telemetry.metadata.sessionId"},
		"completion_tokens": {"gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion", "ai.usage.completionTokens"},
		"prompt_tokens":     {"gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt"},
	} {
		for _, f := range from {
			if v := a[f]; v.Filled() && record[name] == nil {
				record[name] = v
			}
		}
	}
	if given := a["llm.invocation_parameters"].Object(); record["max_tokens"] == nil {
		record["max_tokens"] = given.Get([]string{"maxtokens", "maxcompletiontokens"})
	}
	if n, whole := record["max_tokens"].Whole(); whole {
		record["max_tokens"] = loose.Made(n)
	} else {
		delete(record, "max_tokens")
	}
	if all := tools(a); all != nil {
		record["tools"] = all
	}
	return record
}

// spanAnswer is the text of a span's answer; "" if it has none.
func spanAnswer(a loose.Object) string {
	answer := ""
	for _, m := range append(chats.Messages(a["gen_ai.output.messages"]), indexed(a, "gen_ai.completion.", "llm.output_messages.")...) {
		answer += m["content"].Text()
	}
	if answer == "" {
		answer = a["ai.response.text"].Text()
	}
	return answer
}
