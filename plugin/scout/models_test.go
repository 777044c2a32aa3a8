package scout

import (
	"fmt"
	"testing"
)

// One worker reads the lists, rarely, and all know them; a replica without a list serves all, one that is new is asked at once.
func TestModelsAreRead(t *testing.T) {
	w := newWorld(t, `{"discovery": {"cluster": "vllm", "admin_cluster": "admin"}, "scrape": {"path": "", "models": "/v1/models", "models_interval": "20s"}}`, 3)
	w.models = map[string]string{"10.0.0.1:80": `{"data":[{"id":"a"},{"id":"x","parent":"a"}]}`, "10.0.0.2:80": `{"data":[{"id":"b"}]}`}
	w.hosts = host("10.0.0.1", "") + "," + host("10.0.0.2", "") + "," + host("10.0.0.3", "")
	check := func(when, model, want string) {
		t.Helper()
		for i, p := range w.workers {
			servers, got := p.pool.ServersOf([]byte(model)), ""
			for e := range p.pool.Endpoints {
				if p.pool.Present(e) && servers.Has(e) {
					got += fmt.Sprint(e, " ")
				}
			}
			if !p.dead && got != want {
				t.Errorf("%s, worker %d: %s is served by %s, want %s", when, i, model, got, want)
			}
		}
	}
	w.step(3)
	check("at first", "a", "0 2 ")
	check("at first", "x", "0 2 ")
	check("at first", "b", "1 2 ")
	check("at first", "c", "0 1 2 ")
	if n := w.asked["10.0.0.1:80"]; n != 1 {
		t.Errorf("in 3 s a list was read %d times, want once", n)
	}
	if n := w.asked["10.0.0.3:80"]; n != 1 { // it is asked again after 5 s
		t.Errorf("in 3 s a replica without a list was asked %d times", n)
	}
	w.models["10.0.0.2:80"] = `{"data":[{"id":"a"}]}`
	w.models["10.0.0.3:80"] = `{"data":[{"id":"c"}]}`
	w.step(22)
	check("after a change", "a", "0 1 ")
	check("after a change", "c", "2 ")
	w.models["10.0.0.1:80"] = "no list"
	w.hosts = host("10.0.0.2", "") + "," + host("10.0.0.3", "")
	w.step(1.5)
	check("one has left", "x", "1 2 ")
	w.hosts += "," + host("10.0.0.1", "")
	w.step(1.5)
	check("it is back", "x", "0 ")
	w.workers[0].dead = true
	w.models["10.0.0.1:80"] = `{"data":[]}`
	w.step(40)
	check("another leads, nobody has it", "x", "0 1 2 ")
	check("another leads", "c", "2 ")
}

// Where a configuration of the same endpoints reads no lists, as that of another listener or the one before an update, and leads, it does not keep one
// that wants them from having them.
func TestModelsAreReadBesideOthers(t *testing.T) {
	const first = `{"endpoints": ["10.0.0.1:80", "10.0.0.2:80"], "scrape": {"cluster": "vllm"`
	w := newWorld(t, first+`}}`, 2)
	w.models = map[string]string{"10.0.0.1:80": `{"data":[{"id":"a"}]}`, "10.0.0.2:80": `{"data":[{"id":"b"}]}`}
	w.step(3)
	wants := w.add(first + `, "models": "/v1/models"}}`)
	w.step(3)
	if servers := wants.pool.ServersOf([]byte("b")); servers.Has(0) || !servers.Has(1) {
		t.Error("b is not served by the second alone")
	}
	if !wants.Leads() || w.workers[0].Leads() || w.workers[1].Leads() {
		t.Error("one that reads no lists leads, too")
	}
	wants.Resign()
	wants.dead = true
	w.step(1)
	if w.workers[0].Leads() == w.workers[1].Leads() {
		t.Error("none leads, or two do")
	}
}

func FuzzCatalog(f *testing.F) {
	c := catalog{}
	f.Add(c.append(nil, 1))
	f.Fuzz(func(t *testing.T, value []byte) {
		var c catalog
		if c.read(value, 1) && string(c.append(nil, 1)) != string(value[:len(c.append(nil, 1))]) {
			t.Error("what was read is not what is written")
		}
	})
}
