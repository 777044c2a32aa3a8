package host

// status is proxy_status_t, the result of every host function.
type status uint32

const (
	statusOK                  status = 0
	statusNotFound            status = 1
	statusBadArgument         status = 2
	statusParseFailure        status = 4
	statusInvalidMemoryAccess status = 6
	statusEmpty               status = 7
	statusCASMismatch         status = 8
	statusInternalFailure     status = 10
	statusBrokenConnection    status = 11 // Envoy's, as the code of a failed HTTP call
	statusUnimplemented       status = 12
)

// Map types, proxy_map_type_t.
const (
	mapRequestHeaders       = 0
	mapRequestTrailers      = 1
	mapResponseHeaders      = 2
	mapResponseTrailers     = 3
	mapCallResponseHeaders  = 6
	mapCallResponseTrailers = 7
	mapLast                 = 7
)

// Buffer types, proxy_buffer_type_t.
const (
	bufferRequestBody      = 0
	bufferResponseBody     = 1
	bufferCallResponseBody = 4
	bufferVMConfig         = 6
	bufferPluginConfig     = 7
	bufferLast             = 8
)

// Stream types, proxy_stream_type_t.
const (
	streamRequest    = 0
	streamResponse   = 1
	streamDownstream = 2
	streamUpstream   = 3
)

// What a headers callback may return: proxy_action_t, and above 1 what Envoy's filter status adds.
const (
	headersContinue      = 0
	headersStop          = 1
	headersContinueEnd   = 2 // obsolete; Envoy takes it for continue
	headersStopAllBuffer = 3
)

// What a body callback may return: proxy_action_t, and above 1 what Envoy's filter status adds.
const (
	dataContinue      = 0
	dataStopBuffer    = 1
	dataStopWatermark = 2
)
