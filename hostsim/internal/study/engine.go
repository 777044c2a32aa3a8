package study

import (
	"warmroute/hostsim/internal/peers"
	"warmroute/hostsim/internal/replay"
)

// Native makes the engine that a configuration asks for: a peer's policy, or our own code natively.
func Native(configuration []byte, workers int) (replay.Engine, error) {
	if peers.Is(configuration) {
		return peers.New(configuration)
	}
	return replay.NewNative(configuration, workers)
}
