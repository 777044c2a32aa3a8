// Package e2e holds the tests that need a real Envoy: the shipped module and the shipped examples in front of simulated
// replicas, over real sockets. They run with `./build.sh e2e`, which names the Envoy in ENVOY.
package e2e
