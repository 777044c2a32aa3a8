// Package e2e runs what istio/ ships against a real Istio: etcd, kube-apiserver and istiod, built from source by
// tools.sh, and gateways of pilot-agent and Envoy in front of simulated replicas, all in a network and mount namespace
// of their own. What Kubernetes' controllers and kubelets would do for the vLLM pods, the tests do: pods.go.
//
//	./build.sh e2e-istio
package e2e
