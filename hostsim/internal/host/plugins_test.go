package host

import "testing"

// Filters of one VM have contexts of their own: each is told its own configuration, name, ticks, queues and streams, and none once it
// has ended.
func TestPlugins(t *testing.T) {
	p := run(t, "configure|tick|400\nconfigure|property|plugin_name", Config{PluginName: "first"})
	number, err := p.AddPlugin(Plugin{Name: "second", Config: []byte("configure|tick|300\nconfigure|property|plugin_name\nconfigure|register|q\nqueue|dequeue|1")})
	if err != nil {
		t.Fatal(err)
	}
	p.Advance(start + 500e6)
	s := p.NewStreamOf(number, 0)
	s.RequestHeaders(get("/"), true)
	answer(s)
	p.EndPlugin(number)
	p.Advance(start + 900e6)
	wantSaid(t, p, `
		tick(400) = ok
		property(plugin_name) = first
		tick(400) = ok
		property(plugin_name) = second
		tick(300) = ok
		property(plugin_name) = second
		register(q) = 1
		on tick 2
		on tick 1
		on request_headers 3 3 1
		on response_headers 3 1 0
		on response_body 3 4 1
		on log 3
		on done 3
		on delete 3
		on done 2
		on delete 2
		on tick 1`)
	if _, err := p.AddPlugin(Plugin{Config: []byte("configure|log|4|not this one\nconfigure|return|0")}); err == nil {
		t.Error("a filter that refuses its configuration is started")
	}
}
