//go:build e2egateway

package e2egateway

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// deploys sees what Envoy Gateway would run in a cluster for several gateways: it makes the Deployment and the Service of the
// proxies, and nobody acts on them here.
func deploys(t *testing.T, dir, kubeconfig string) {
	write(t, dir+"/cluster.yaml", []byte(config+"provider: {type: Kubernetes, kubernetes: {leaderElection: {disable: true}}}\n"))
	for _, doc := range example(t, peers) {
		apply(t, doc)
	}
	_, stop := start(t, dir, environment(kubeconfig), program(), "server", "--config-path", dir+"/cluster.yaml")
	defer stop()
	spec := func(path string) (found object) {
		eventually(t, "Envoy Gateway makes its "+path, func() bool {
			list, err := call(http.MethodGet, path, nil)
			if err != nil {
				return false // a busy server
			}
			for _, item := range list["items"].([]any) {
				if o := item.(object); strings.HasPrefix(meta(o)["name"].(string), "envoy-default-llm-") {
					found = o["spec"].(object)
				}
			}
			return found != nil
		})
		return found
	}
	if ports := fmt.Sprint(spec("/api/v1/namespaces/envoy-gateway-system/services")["ports"]); strings.Contains(ports, "9902") || !strings.Contains(ports, "port:80") {
		t.Errorf("the load balancer's ports are %s, want clients' alone", ports)
	}
	deployment := fmt.Sprint(spec("/apis/apps/v1/namespaces/envoy-gateway-system/deployments")["template"])
	for _, want := range []string{
		"name:WARMROUTE_PEERS_SECRET valueFrom:map[secretKeyRef:map[key:secret name:warmroute-peers]]",
		"gateway.envoyproxy.io/owning-gateway-name:llm", "gateway.envoyproxy.io/owning-gateway-namespace:default", // the headless Service's
	} {
		if !strings.Contains(deployment, want) {
			t.Errorf("the proxies' pods lack %s: %s", want, deployment)
		}
	}
}
