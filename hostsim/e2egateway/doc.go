// Package e2egateway applies examples/envoy-gateway, -peers and examples/envoy-ai-gateway, as shipped, to a real API server under a
// real Envoy Gateway, of default settings and as Envoy AI Gateway has it, and sends prompts through the Envoy that it configures.
// It runs with `./build.sh e2e-gateway`: run.sh makes a network of its own.
package e2egateway
