package main

import (
	"slices"
	"strconv"
	"testing"
)

// An error that the proxy or a filter of it gives once a request has gone to an endpoint, such as in the middle of its upload, says nothing of the endpoint; one
// of the endpoint's, or of a connection to it, does, whatever status local_reply_config gives it.
func TestErrorsOfTheProxysOwn(t *testing.T) {
	const upstream = "upstream_reset_before_response_started{connection_termination}"
	const refused = "upstream_reset_before_response_started{remote_connection_failure}"
	for _, c := range []struct {
		status  int
		details string
		want    string // outcome
		begun   bool   // the request has not ended
	}{
		{400, "via_upstream", "answered", false},
		{400, "", "answered", false}, // another proxy than Envoy may not tell
		{400, "http1.codec_error", "cancelled", true},
		{408, "request_overall_timeout", "cancelled", true},
		{408, "stream_idle_timeout", "cancelled", true},
		{503, "stream_idle_timeout", "cancelled", true}, // local_reply_config
		{403, "ext_authz_denied", "cancelled", false},
		{413, "request_payload_too_large", "cancelled", true},
		{500, "via_upstream", "failed", false},
		{500, "ext_proc_error_gRPC_error_14{connect_error}", "cancelled", false},
		{503, upstream, "failed", false},
		{429, upstream, "failed", false},
		{503, "upstream_reset_before_response_started{overflow}", "cancelled", false},
		{200, "upstream_reset_before_response_started{overflow}", "cancelled", false},
		{503, refused, "refused", false},
		{500, refused, "refused", false},
		{429, refused, "refused", false},
		{200, refused, "refused", false},
		{302, refused, "refused", false},
		{503, "no_healthy_upstream", "failed", false},
		{504, "response_timeout", "timed_out", false}, // of the route
		{200, "response_timeout", "timed_out", false},
		{504, "upstream_per_try_timeout", "timed_out", false},
		{504, "stream_idle_timeout", "timed_out", false},
		{429, "stream_idle_timeout", "timed_out", false},
		{504, "ext_proc_error_message_timeout_exceeded", "cancelled", false},
		{200, "via_upstream", "answered", false},
		{200, "", "answered", false},
	} {
		t.Run(strconv.Itoa(c.status)+" "+c.details, func(t *testing.T) {
			host := started(t)
			for at, value := range map[[2]string]string{{"response", "code_details"}: c.details, {"upstream", "address"}: "10.0.0.1:80"} {
				if value == "" {
					continue
				}
				if err := host.SetProperty(at[:], []byte(value)); err != nil {
					t.Fatal(err)
				}
			}
			id := host.InitializeHttpContext()
			const body = `{"prompt":"Once upon a time","model":"m"}`
			host.CallOnRequestHeaders(id, append(slices.Clone(postHeaders), [2]string{"content-length", strconv.Itoa(len(body))}), false)
			host.CallOnRequestBody(id, []byte(body), !c.begun)
			host.CallOnResponseHeaders(id, [][2]string{{":status", strconv.Itoa(c.status)}}, true)
			host.CompleteHttpContext(id)
			host.Tick()
			for _, outcome := range []string{"answered", "failed", "refused", "timed_out", "cancelled"} {
				sum := uint64(0)
				for i := range 3 {
					n, _ := host.GetCounterMetric("outcome=.=" + outcome + ";.;endpoint=.=10.0.0." + strconv.Itoa(i+1) + ":80;.;warmroute_answers_total") // an error: not defined
					sum += n
				}
				if want := map[bool]uint64{true: 1}[outcome == c.want]; sum != want {
					t.Errorf("%s: %d, want %d", outcome, sum, want)
				}
			}
		})
	}
}
