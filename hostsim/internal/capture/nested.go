package capture

import (
	"strconv"
	"strings"

	"warmroute/hostsim/internal/loose"
)

// jaeger returns the spans of Jaeger's answers and of what its page saves, as otlp does.
func jaeger(o loose.Object) []loose.Object {
	var out []loose.Object
	for _, trace := range o["data"].Items() {
		for _, one := range trace.Object()["spans"].Items() {
			span := one.Object()
			if span["operationName"] == nil {
				continue
			}
			record := jaegerTags(span["tags"])
			var events []*loose.Value
			for _, log := range span["logs"].Items() {
				fields := jaegerTags(log.Object()["fields"])
				for name, value := range fields {
					if record[name] == nil {
						record[name] = value
					}
				}
				events = append(events, loose.Made(loose.Object{"name": fields["event"], "attributes": loose.Made(fields)}))
			}
			record = merged(record, gathered(events, record))
			record["startTime"] = span["startTime"] // µs
			if took, ok := span["duration"].Whole(); ok {
				if began, ok := span["startTime"].Whole(); ok {
					record["endTime"] = loose.Made(began + took)
				}
			}
			if record["error"].Is("true") {
				record["status"] = loose.Made("error")
			}
			out = append(out, record)
		}
	}
	return out
}

func jaegerTags(tags *loose.Value) loose.Object {
	o := loose.Object{}
	for _, item := range tags.Items() {
		tag := item.Object()
		o[tag["key"].Text()] = tag["value"]
	}
	return o
}

// flat gives attributes that a store has nested the names that they had: {"llm": {"input_messages": [{"message": {"role": …}}]}} has
// llm.input_messages.0.message.role. Lists stay besides, and Phoenix's columns lose their "attributes.".
func flat(o loose.Object) loose.Object {
	nested := false
	for name, value := range o {
		_, column := strings.CutPrefix(name, "attributes.")
		nested = nested || column || (name == "llm" || name == "gen_ai") && value.Object() != nil
	}
	if !nested {
		return o
	}
	out := loose.Object{}
	for name, value := range o {
		flatten(out, strings.TrimPrefix(name, "attributes."), value, maxNested)
	}
	return out
}

func flatten(o loose.Object, name string, value *loose.Value, depth int) {
	if o[name] = value; depth == 0 {
		return
	}
	if inner := value.Object(); inner != nil {
		delete(o, name)
		for member, value := range inner {
			flatten(o, name+"."+member, value, depth-1)
		}
		return
	}
	for i, item := range value.Unquote().Items() {
		flatten(o, name+"."+strconv.Itoa(i), item, depth-1)
	}
}
