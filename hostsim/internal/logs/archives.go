package logs

import (
	"encoding/base64"
	"strings"
)

// har returns the requests of an archive of HTTP (HAR 1.2), as browsers and proxies save it; nil: o is none.
func har(o object) []object {
	var out []object
	for _, entry := range items(asObject(o["log"])["entries"]) {
		e := asObject(entry)
		request, response := asObject(e["request"]), asObject(e["response"])
		out = append(out, object{
			"start_time": e["startedDateTime"], "duration": e["time"], "method": request["method"], "url": request["url"], "status": response["status"],
			"request_body": asObject(request["postData"])["text"], "response_body": asObject(response["content"])["text"],
		})
	}
	return out
}

// tap returns the request of one of Envoy's tap filter's buffered traces (envoy.data.tap.v3.HttpBufferedTrace, as JSON); nil: o is none.
func tap(o object) []object {
	trace := asObject(o["http_buffered_trace"])
	if trace == nil {
		return nil
	}
	request, response := asObject(trace["request"]), asObject(trace["response"])
	headers := tapHeaders(request)
	return []object{{
		"start_time": request["headers_received_time"], "method": headers[":method"], "path": headers[":path"], "status": tapHeaders(response)[":status"],
		"headers": made(headers), "request_body": tapBody(request), "response_body": tapBody(response),
	}}
}

func tapHeaders(message object) object {
	headers := object{}
	for _, item := range items(message["headers"]) {
		h := asObject(item)
		headers[strings.ToLower(text(h["key"]))] = h["value"]
	}
	return headers
}

// tapBody is a message's body as a text.
func tapBody(message object) *value {
	body := asObject(message["body"])
	if s := body["as_string"]; s != nil {
		return s
	}
	bytes, _ := base64.StdEncoding.DecodeString(text(body["as_bytes"]))
	return made(string(bytes))
}
