//go:build e2eistio

package e2e

import (
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"slices"
	"sync"
	"time"
)

// pods does what Kubernetes would: it makes the pods of the StatefulSet vllm, runs them, and tells every Service's
// endpoints. A running pod is an address in this network from which connections go to a simulated replica.
type pods struct {
	kube    *kube
	quit    chan struct{}
	ended   chan struct{}
	running []*pod            // of the StatefulSet, by ordinal
	slices  map[string]string // what was last written, by Service
}

const (
	maxPods     = 8
	replicaPort = 18001 // of the first simulated replica
)

// podAddress is the address of the StatefulSet's pod n.
func podAddress(n int) string { return fmt.Sprintf("10.9.0.%d:8000", 11+n) }

func newPods(k *kube) *pods {
	p := &pods{kube: k, quit: make(chan struct{}), ended: make(chan struct{}), slices: map[string]string{}}
	go p.work()
	return p
}

func (p *pods) work() {
	defer close(p.ended)
	for {
		if err := p.reconcile(); err != nil {
			log.Printf("as Kubernetes' controllers: %v", err)
		}
		select {
		case <-p.quit:
			return
		case <-time.After(100 * time.Millisecond):
		}
	}
}

func (p *pods) stop() {
	if p != nil {
		close(p.quit)
		<-p.ended
	}
}

// reconcile makes the pods as many as the StatefulSet says, and writes the endpoints of all Services.
func (p *pods) reconcile() error {
	sets, err := p.kube.list("/apis/apps/v1/namespaces/default/statefulsets")
	if err != nil {
		return err
	}
	want := 0
	for _, set := range sets {
		replicas, _ := at(set, "spec", "replicas").(float64)
		want = min(int(replicas), maxPods)
		for n := len(p.running); n < want; n++ {
			labels, _ := at(set, "spec", "template", "metadata", "labels").(object)
			if err := p.run(n, labels); err != nil {
				return err
			}
		}
	}
	var leaving []*pod
	for len(p.running) > want {
		last := p.running[len(p.running)-1]
		if err := p.kube.remove(last.object); err != nil {
			return err
		}
		p.running, leaving = p.running[:len(p.running)-1], append(leaving, last)
	}
	err = p.tell()
	for _, l := range leaving {
		l.close()
	}
	return err
}

// run makes and starts pod n of the StatefulSet.
func (p *pods) run(n int, labels object) error {
	name := fmt.Sprintf("vllm-%d", n)
	all := maps.Clone(labels)
	all["statefulset.kubernetes.io/pod-name"], all["apps.kubernetes.io/pod-index"] = name, fmt.Sprint(n)
	started, err := serve(podAddress(n), fmt.Sprintf("127.0.0.1:%d", replicaPort+n))
	if err != nil {
		return err
	}
	host, _, _ := net.SplitHostPort(podAddress(n))
	if started.object, err = addPod(p.kube, "default", name, host, "default", all, nil); err != nil {
		started.close()
		return err
	}
	p.running = append(p.running, started)
	return nil
}

// addPod makes a pod that runs and is ready.
func addPod(k *kube, namespace, name, ip, account string, labels, annotations object) (object, error) {
	o := object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"namespace": namespace, "name": name, "labels": labels, "annotations": annotations},
		"spec": object{"serviceAccountName": account, "containers": []any{object{"name": "c", "image": "i", "ports": []any{object{"name": "http", "containerPort": 8000}}}}}}
	if err := k.apply(o); err != nil {
		return nil, err
	}
	status := object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"namespace": namespace, "name": name},
		"status": object{"phase": "Running", "podIP": ip, "podIPs": []any{object{"ip": ip}},
			"conditions": []any{object{"type": "Ready", "status": "True"}}}}
	return o, k.applyStatus(status)
}

// tell writes an EndpointSlice for every Service with a selector.
func (p *pods) tell() error {
	services, err := p.kube.list("/api/v1/services")
	if err != nil {
		return err
	}
	all, err := p.kube.list("/api/v1/pods")
	if err != nil {
		return err
	}
	for _, service := range services {
		selector, _ := at(service, "spec", "selector").(object)
		if len(selector) == 0 {
			continue
		}
		namespace, name := text(service, "metadata", "namespace"), text(service, "metadata", "name")
		endpoints := []any{}
		for _, candidate := range all {
			labels, _ := at(candidate, "metadata", "labels").(object)
			ip := text(candidate, "status", "podIP")
			if ip == "" || text(candidate, "metadata", "namespace") != namespace || !matches(selector, labels) {
				continue
			}
			endpoints = append(endpoints, object{"addresses": []any{ip},
				"conditions": object{"ready": true, "serving": true, "terminating": false},
				"targetRef":  object{"kind": "Pod", "name": text(candidate, "metadata", "name"), "namespace": namespace}})
		}
		slice := object{"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
			"metadata":  object{"namespace": namespace, "name": name + "-e2e", "labels": object{"kubernetes.io/service-name": name}},
			"endpoints": endpoints, "ports": slicePorts(service)}
		if now := fmt.Sprint(slice); p.slices[namespace+name] != now {
			if err := p.kube.apply(slice); err != nil {
				return err
			}
			p.slices[namespace+name] = now
		}
	}
	return nil
}

func matches(selector, labels object) bool {
	for name, value := range selector {
		if labels[name] != value {
			return false
		}
	}
	return true
}

// slicePorts are a Service's ports as its pods have them; the only named one is vLLM's.
func slicePorts(service object) []any {
	list := []any{}
	ports, _ := at(service, "spec", "ports").([]any)
	for _, port := range ports {
		o := port.(object)
		target := o["targetPort"]
		if target == "http" {
			target = 8000
		}
		list = append(list, object{"name": o["name"], "port": target, "protocol": "TCP"})
	}
	return list
}

// pod is an address from which connections are passed on.
type pod struct {
	object   object
	listener net.Listener
	mu       sync.Mutex
	conns    []net.Conn
}

func serve(address, to string) (*pod, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	p := &pod{listener: listener}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			replica, err := net.Dial("tcp", to)
			if err != nil {
				client.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, client, replica)
			p.mu.Unlock()
			go pass(client, replica)
			go pass(replica, client)
		}
	}()
	return p, nil
}

func pass(from, to net.Conn) {
	_, _ = io.Copy(to, from)
	to.Close()
	from.Close()
}

// close ends the pod, and what goes on there.
func (p *pod) close() {
	p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range slices.Backward(p.conns) {
		c.Close()
	}
}
