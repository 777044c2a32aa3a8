package logs

import (
	"strconv"
	"strings"
)

// jaeger returns the spans of Jaeger's answers and of what its page saves, as otlp does.
func jaeger(o object) []object {
	var out []object
	for _, trace := range items(o["data"]) {
		for _, one := range items(asObject(trace)["spans"]) {
			span := asObject(one)
			if span["operationName"] == nil {
				continue
			}
			record := jaegerTags(span["tags"])
			for _, log := range items(span["logs"]) {
				for name, value := range jaegerTags(asObject(log)["fields"]) {
					if record[name] == nil {
						record[name] = value
					}
				}
			}
			record["startTime"] = span["startTime"] // µs
			if took, ok := whole(span["duration"]); ok {
				if began, ok := whole(span["startTime"]); ok {
					record["endTime"] = made(began + took)
				}
			}
			if record["error"].is("true") {
				record["status"] = made("error")
			}
			out = append(out, record)
		}
	}
	return out
}

func jaegerTags(tags *value) object {
	o := object{}
	for _, item := range items(tags) {
		tag := asObject(item)
		o[text(tag["key"])] = tag["value"]
	}
	return o
}

// flat gives attributes that a store has nested the names that they had: {"llm": {"input_messages": [{"message": {"role": …}}]}} has
// llm.input_messages.0.message.role. Lists stay besides, and Phoenix's columns lose their "attributes.".
func flat(o object) object {
	nested := false
	for name, value := range o {
		_, column := strings.CutPrefix(name, "attributes.")
		nested = nested || column || (name == "llm" || name == "gen_ai") && asObject(value) != nil
	}
	if !nested {
		return o
	}
	out := object{}
	for name, value := range o {
		out.flatten(strings.TrimPrefix(name, "attributes."), value, maxNested)
	}
	return out
}

func (o object) flatten(name string, value *value, depth int) {
	if o[name] = value; depth == 0 {
		return
	}
	if inner := asObject(value); inner != nil {
		delete(o, name)
		for member, value := range inner {
			o.flatten(name+"."+member, value, depth-1)
		}
		return
	}
	for i, item := range items(unquote(value)) {
		o.flatten(name+"."+strconv.Itoa(i), item, depth-1)
	}
}
