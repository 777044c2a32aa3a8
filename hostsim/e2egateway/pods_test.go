//go:build e2egateway

package e2egateway

import (
	"context"
	"io"
	"net"
	"testing"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/vllm"
)

// startPods serves three simulated replicas at addresses of pods, and tells the API server of them.
func startPods(t *testing.T) {
	t.Helper()
	serve(t, "vllm", model, "10.244.0.2", "10.244.0.3", "10.244.0.4")
}

// serve starts a Service of replicas of a model, one at each address. fail has one refuse connections, and ends those it has.
func serve(t *testing.T, service, model string, addresses ...string) (fail func(address string)) {
	t.Helper()
	profile, err := vllm.LoadProfile("h100-8b")
	if err != nil {
		t.Fatal(err)
	}
	f, err := fleet.Start(fleet.Options{N: len(addresses), Model: model, Profile: profile, Speed: 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	var endpoints []any
	ends := map[string]context.CancelFunc{}
	for i, r := range f.Replicas {
		ctx, end := context.WithCancel(t.Context())
		listener, err := net.Listen("tcp", addresses[i]+":8000")
		if err != nil {
			t.Fatal(err)
		}
		context.AfterFunc(ctx, func() { listener.Close() })
		go forward(ctx, listener, r.Addr())
		ends[addresses[i]] = end
		endpoints = append(endpoints, object{"addresses": []any{addresses[i]}, "conditions": object{"ready": true}})
	}
	apply(t, object{"apiVersion": "v1", "kind": "Service", "metadata": object{"name": service, "namespace": "default"},
		"spec": object{"ports": []any{object{"name": "http", "port": 8000, "targetPort": 8000}}}})
	apply(t, object{"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
		"metadata":    object{"name": service + "-1", "namespace": "default", "labels": object{"kubernetes.io/service-name": service}},
		"addressType": "IPv4", "ports": []any{object{"name": "http", "port": 8000, "protocol": "TCP"}}, "endpoints": endpoints})
	return func(address string) { ends[address]() }
}

func forward(ctx context.Context, from net.Listener, to string) {
	for {
		client, err := from.Accept()
		if err != nil {
			return
		}
		context.AfterFunc(ctx, func() { client.Close() })
		go func() {
			defer client.Close()
			server, err := net.Dial("tcp", to)
			if err != nil {
				return
			}
			defer server.Close()
			go func() { _, _ = io.Copy(server, client); _ = server.(*net.TCPConn).CloseWrite() }()
			_, _ = io.Copy(client, server)
		}()
	}
}
