package host

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSharedData(t *testing.T) {
	p := run(t, `
		configure|shared|k
		configure|setshared|k|one|77
		configure|shared|k
		configure|setshared|k|two|77
		configure|setshared-lastcas|k|two
		configure|setshared-lastcas|k|three
		configure|setshared|k||0
		configure|shared|k
		configure|setshared||nameless|0`, Config{})
	wantSaid(t, p, `
		shared(k) = status 1
		setshared(k,one,77) = ok
		shared(k) = one cas 1
		setshared(k,two,77) = status 8
		setshared-lastcas(k,two) = ok
		setshared-lastcas(k,three) = status 8
		setshared(k,,0) = ok
		shared(k) =  cas 3
		setshared(,nameless,0) = ok`)
	if diff := cmp.Diff([]string{"", "k"}, p.SharedKeys()); diff != "" {
		t.Errorf("keys (-want +got):\n%s", diff)
	}
	if value, found := p.SharedData(""); !found || string(value) != "nameless" {
		t.Errorf("got %q, %v", value, found)
	}
	if _, found := p.SharedData("other"); found {
		t.Error("found a key nobody wrote")
	}
}

func TestSharedDataIsOfAllVMs(t *testing.T) {
	p := run(t, "tick|shared|k\ntick|setshared-lastcas|k|mine\nconfigure|tick|1000", Config{Workers: 2})
	p.SetSharedData("k", []byte("outside"))
	p.Advance(start + 1e9)
	wantSaid(t, p, `
		tick(1000) = ok
		tick(1000) = ok
		on tick 1
		shared(k) = outside cas 1
		setshared-lastcas(k,mine) = ok
		on tick 1
		shared(k) = mine cas 2
		setshared-lastcas(k,mine) = ok`)
}

// TestQueues: the last of the VMs that registered a queue is told, after the callback that wrote to it.
func TestQueues(t *testing.T) {
	p := run(t, `
		configure|resolve||q
		configure|register|q
		configure|resolve||q
		configure|resolve|vm|q
		configure|resolve|other|q
		configure|dequeue|1
		configure|dequeue|2
		configure|enqueue|2|x
		request_headers|enqueue|1|first
		request_headers|enqueue|1|
		queue|dequeue|1`, Config{Workers: 2, VMID: "vm"})
	before := len(p.Logs())
	p.NewStream(0).RequestHeaders(get("/"), true)
	for _, e := range p.Logs()[before:] {
		if told := strings.Contains(e.Message, "queue"); e.Worker != int(flag(told && !strings.HasPrefix(e.Message, "enqueue"))) {
			t.Errorf("worker %d said %q", e.Worker, e.Message)
		}
	}
	wantSaid(t, p, `
		resolve(,q) = status 1
		register(q) = 1
		resolve(,q) = 1
		resolve(vm,q) = 1
		resolve(other,q) = status 1
		dequeue(1) = status 7
		dequeue(2) = status 1
		enqueue(2,x) = status 1
		resolve(,q) = 1
		register(q) = 1
		resolve(,q) = 1
		resolve(vm,q) = 1
		resolve(other,q) = status 1
		dequeue(1) = status 7
		dequeue(2) = status 1
		enqueue(2,x) = status 1
		on request_headers 2 3 1
		enqueue(1,first) = ok
		enqueue(1,) = ok
		on queue 1 1
		dequeue(1) = first
		on queue 1 1
		dequeue(1) =`)
}
