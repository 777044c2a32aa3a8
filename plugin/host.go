package main

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/config"
	"warmroute/plugin/gossip"
)

// Every call to the proxy is in this file. None decides anything. Calls that return bytes are expensive (the proxy calls
// back into the module's allocator), so headers are read all at once and bodies only if they are scanned.

// propertyPath names the filter state `wasm.warmroute` that access logs and other filters read.
const propertyPath = "warmroute"

// endpointPath, keyPath and rankPath name those that carry the choice where a header cannot.
const (
	endpointPath = "warmroute_endpoint"
	keyPath      = "warmroute_key"
	rankPath     = "warmroute_rank"
)

// pluginConfiguration is a copy: what a call returns is valid until the callback ends (lend_tinygo.go).
func pluginConfiguration() ([]byte, error) {
	text, err := proxywasm.GetPluginConfiguration()
	return slices.Clone(text), err
}

// pluginName is the filter's name in the proxy's configuration.
func pluginName() string {
	return string(property("plugin_name"))
}

// now is the proxy's clock in nanoseconds. Tests put their own in its place.
var now = func() int64 { return time.Now().UnixNano() }

func setTick(every time.Duration) error {
	return proxywasm.SetTickPeriodMilliSeconds(uint32(every / time.Millisecond))
}

func removeRequestHeader(name string) { _ = proxywasm.RemoveHttpRequestHeader(name) }
func setRequestHeader(name string, value []byte) {
	_ = proxywasm.ReplaceHttpRequestHeader(name, bytestr.View(value))
}

// pieceBytes is how much of a body is taken at a time: a filter in front may have held all of it.
const pieceBytes = 64 << 10

// requestBody is the part of the buffered body from byte `from` on, of at most size bytes; nil when there is none.
func requestBody(from, size int) []byte {
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

func setResponseHeader(name string, value []byte) {
	_ = proxywasm.ReplaceHttpResponseHeader(name, bytestr.View(value))
}

func responseBody(from, size int) []byte {
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

// upstreamAddress is the `ip:port` that the request went to, usual if it is that; empty before one was connected.
func upstreamAddress(usual string) string {
	address := property("upstream\x00address")
	if bytestr.Equal(address, usual) {
		return usual
	}
	return string(address)
}

// routeCluster is the cluster that the request's route chose; empty if there is none.
func routeCluster() string {
	return string(property("xds\x00cluster_name"))
}

// localPort is that of the listener where the request came in; 0 if it is not known.
func localPort() int {
	port := property("destination\x00port") // a 64-bit integer
	if len(port) != 8 {
		return 0
	}
	return int(binary.LittleEndian.Uint64(port))
}

// responseDetails says where the response comes from: via_upstream, or why it is the proxy's own; "" if it is not known.
func responseDetails() string { return string(property("response\x00code_details")) }

// clientAddress is that of the request's client, without the port; empty if it is not known.
func clientAddress() []byte {
	address := property("source\x00address")
	if i := bytes.LastIndexByte(address, ':'); i >= 0 {
		address = address[:i]
	}
	return address
}

// upstreamAttempts is how many attempts the proxy made; 0 if it does not say.
func upstreamAttempts() int {
	n := property("upstream\x00request_attempt_count")
	if len(n) != 8 {
		return 0
	}
	return int(binary.LittleEndian.Uint64(n))
}

// nodeZone is the zone of the proxy's node, or its region where it has no zone; "" if it has neither.
func nodeZone() string {
	if zone := property("xds\x00node\x00locality\x00zone"); len(zone) > 0 {
		return string(zone)
	}
	return string(property("xds\x00node\x00locality\x00region"))
}

// setSteeringProperty sets a filter state that a later filter makes the steering header.
func setSteeringProperty(path string, value []byte) { setProperty(path, value) }

// recordPath names the filter state `wasm.warmroute_record` that access logs read.
const recordPath = "warmroute_record"

func setRecordProperty(text []byte) { setProperty(recordPath, text) }

func setDecisionProperty(text []byte) { setProperty(propertyPath, text) }

// declareProperty makes the decision's filter state a string for the proxy, else it is bytes: then expressions (CEL), with which
// tracing and logs take out its parts, know no function for it. The arguments are Envoy's DeclarePropertyArguments
// (source/extensions/common/wasm/ext/declare_property.proto): name = 1, type = 3, of which 1 is a string.
func declareProperty() {
	arguments := append([]byte{1<<3 | 2, byte(len(propertyPath))}, propertyPath...)
	callForeign("declare_property", append(arguments, 3<<3, 1))
}

// sharedData is what all workers of the proxy see.
type sharedData struct{}

func (sharedData) Get(key string) ([]byte, uint32, bool) {
	value, version, err := proxywasm.GetSharedData(key)
	return value, version, err == nil
}

func (sharedData) Set(key string, value []byte, version uint32) bool {
	return proxywasm.SetSharedData(key, value, version) == nil
}

// sendAnswer answers the request with a body instead of letting it go on.
func sendAnswer(status uint32, body []byte) {
	_ = proxywasm.SendHttpResponse(status, [][2]string{{"content-type", "application/octet-stream"}}, body, -1)
}

// httpGet sends a GET to authority through a cluster, which is to choose the named endpoint, if there is one, with an ask for
// news, if there is one. It reports
// whether the call was made; then done gets the response's status and size, 0 if there was no response.
func httpGet(cluster, authority, path, endpoint, ask string, timeout int64, done func(status, size int)) bool {
	headers := [][2]string{{":method", "GET"}, {":scheme", "http"}, {":authority", authority}, {":path", path}}
	if endpoint != "" {
		headers = append(headers, [2]string{config.EndpointHeader, endpoint})
	}
	if ask != "" {
		headers = append(headers, [2]string{gossip.Header, ask})
	}
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

// calloutBody is the part of a call's response from byte from on, at most size bytes.
func calloutBody(from, size int) []byte {
	if size <= 0 {
		return nil
	}
	part, err := proxywasm.GetHttpCallResponseBody(from, size)
	if err != nil {
		return nil
	}
	return part
}

// enter makes the calls that follow those of a request, from outside its own callbacks; false if it has ended.
func enter(id uint32) bool { return proxywasm.SetEffectiveContext(id) == nil }

// resumeHere continues the paused request that was entered.
func resumeHere() { _ = proxywasm.ResumeHttpRequest() }

// resume continues a paused request, from outside its own callbacks.
func resume(id uint32) {
	if enter(id) {
		resumeHere()
	}
}

// registerQueue makes a shared queue that this VM alone is told of.
func registerQueue(name string) (id uint32, err error) { return proxywasm.RegisterSharedQueue(name) }

// enqueue adds an item to a queue of any VM.
func enqueue(queue uint32, item []byte) { _ = proxywasm.EnqueueSharedQueue(queue, item) }

// dequeue takes an item; nil: there is none.
func dequeue(queue uint32) []byte {
	item, err := proxywasm.DequeueSharedQueue(queue)
	if err != nil {
		return nil
	}
	return item
}

func logWarn(text string)     { proxywasm.LogWarn(text) }
func logCritical(text string) { proxywasm.LogCritical(text) }

// responseHead is the response's status, 0 if it is not known, and its content type.
func responseHead() (status int, contentType string) {
	for _, pair := range responseHeaders() {
		switch pair[0] {
		case ":status":
			status, _ = strconv.Atoi(pair[1])
		case "content-type":
			contentType = pair[1]
		}
	}
	return status, contentType
}
