package setup

import "fmt"

// RecordField is what an access log's format needs to have the module's records.
const RecordField = "%FILTER_STATE(wasm.warmroute_record:PLAIN)%"

// stdout is the access log that has the records alone, one a line, of a connection manager; by is its indentation.
func stdout(by string) string {
	return indent(`access_log: # beside those that there are; "-" of requests that are not recorded
- name: envoy.access_loggers.stdout
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.access_loggers.stream.v3.StdoutAccessLog
    log_format: {text_format_source: {inline_string: "`+RecordField+`\n"}}
`, by, false)
}

// Recording returns the configuration of a gateway that routes by load, in one of the Forms, and describes every request without its
// text; and the access log that has the descriptions.
func (s Settings) Recording(form string) (string, error) {
	s.Policy, s.Shadow, s.More = "join_shortest_queue", "", map[string]any{"record": true}
	text, err := s.Text(form)
	if err != nil {
		return "", err
	}
	switch form {
	case "wasmplugin":
		return text + fmt.Sprintf(`---
# Appended to the access logs of the gateway. kubectl logs -n istio-system deploy/istio-ingressgateway | hostsim advise --trace -
apiVersion: networking.istio.io/v1alpha3
kind: EnvoyFilter
metadata:
  name: warmroute-record
  namespace: istio-system # the gateway's
spec:
  workloadSelector:
    labels: {istio: ingressgateway}
  configPatches:
  - applyTo: NETWORK_FILTER
    match:
      context: GATEWAY
      listener:
        filterChain:
          filter: {name: envoy.filters.network.http_connection_manager}
    patch:
      operation: MERGE
      value:
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
%s`, stdout("          ")), nil
	case "envoy":
		return text + "---\n# In the connection manager. The log is for hostsim advise --trace FILE.\n" + stdout(""), nil
	}
	return text, nil
}
