// Package e2evllm holds the tests of the module against real vLLM servers through a real Envoy. They run with
// `./build.sh e2e-vllm`, which starts the servers of examples/vllm-cpu and names the Envoy in ENVOY.
package e2evllm
