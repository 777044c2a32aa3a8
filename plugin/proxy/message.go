package proxy

import (
	"strconv"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"warmroute/plugin/bytestr"
)

// RemoveRequestHeader removes all of a name.
func RemoveRequestHeader(name string) { _ = proxywasm.RemoveHttpRequestHeader(name) }

// SetRequestHeader sets one in place of all of that name.
func SetRequestHeader(name string, value []byte) {
	_ = proxywasm.ReplaceHttpRequestHeader(name, bytestr.View(value))
}

// PieceBytes is how much of a body is taken at a time: a filter in front may have held all of it.
const PieceBytes = 64 << 10

// RequestBody is the part of the buffered body from byte `from` on, of at most size bytes; nil when there is none.
func RequestBody(from, size int) []byte {
	if size <= 0 {
		return nil
	}
	reuse()
	chunk, err := proxywasm.GetHttpRequestBody(from, size)
	if err != nil {
		return nil
	}
	return chunk
}

// SetResponseHeader likewise.
func SetResponseHeader(name string, value []byte) {
	_ = proxywasm.ReplaceHttpResponseHeader(name, bytestr.View(value))
}

// ResponseBody is likewise a part of the response's.
func ResponseBody(from, size int) []byte {
	if size <= 0 {
		return nil
	}
	reuse()
	chunk, err := proxywasm.GetHttpResponseBody(from, size)
	if err != nil {
		return nil
	}
	return chunk
}

// timeHeader is what Envoy's router gives each response of an upstream, unless suppress_envoy_headers is set, and no other.
const timeHeader = "x-envoy-upstream-service-time"

// ResponseHead is the response's status, 0 if it is not known, its content type, and whether it is known to be of an upstream.
func ResponseHead() (status int, contentType string, upstream bool) {
	for _, pair := range responseHeaders() {
		switch pair[0] {
		case ":status":
			status, _ = strconv.Atoi(pair[1])
		case "content-type":
			contentType = pair[1]
		case timeHeader:
			upstream = true
		}
	}
	return status, contentType, upstream
}

// SendAnswer answers the request with a body instead of letting it go on.
func SendAnswer(status uint32, body []byte) {
	_ = proxywasm.SendHttpResponse(status, [][2]string{{"content-type", "application/octet-stream"}}, body, -1)
}

// Get sends a GET to authority through a cluster, with further headers. It reports whether the call was made; then done gets the response's
// status and size, 0 if there was no response. timeout is nanoseconds.
func Get(cluster, authority, path string, further [][2]string, timeout int64, done func(status, size int)) bool {
	headers := append([][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", authority}, {":path", path}}, further...)
	_, err := proxywasm.DispatchHttpCall(cluster, headers, nil, nil, uint32(timeout/1e6), func(_, size, _ int) {
		status := 0
		if headers, err := proxywasm.GetHttpCallResponseHeaders(); err == nil {
			for _, pair := range headers {
				if pair[0] == ":status" {
					status, _ = strconv.Atoi(pair[1])
				}
			}
		}
		done(status, size)
	})
	return err == nil
}

// CalloutBody is the part of a call's response from byte from on, at most size bytes.
func CalloutBody(from, size int) []byte {
	if size <= 0 {
		return nil
	}
	part, err := proxywasm.GetHttpCallResponseBody(from, size)
	if err != nil {
		return nil
	}
	return part
}
