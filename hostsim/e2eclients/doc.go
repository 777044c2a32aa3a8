// Package e2eclients drives the quick start with what its users have: the official Python packages of OpenAI and of
// Anthropic, through a real Envoy with the module, to simulated replicas. It runs with `./build.sh e2e-clients`, which names
// the Envoy in ENVOY and a Python with the packages in CLIENTS_PYTHON.
package e2eclients
