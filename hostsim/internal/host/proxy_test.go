package host

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStart(t *testing.T) {
	p := run(t, "configure|buffer|6|0|99\nconfigure|buffer|7|0|10", Config{Workers: 2, VMConfig: []byte("vmconf")})
	var got []string
	for _, e := range p.Logs() {
		got = append(got, e.Message)
	}
	one := []string{"on create 1 0", "on vm_start 1 6", "on configure 1 47", "buffer(6,0,99) = vmconf", "buffer(7,0,10) = configure|"}
	if diff := cmp.Diff(append(one, one...), got); diff != "" {
		t.Errorf("start of two VMs (-want +got):\n%s", diff)
	}
}

func TestStartRefused(t *testing.T) {
	tests := []struct {
		name   string
		config Config
		want   []string // parts of the error
	}{
		{"configuration", Config{PluginConfig: []byte("configure|log|4|vnodes: must be 1 to 1024\nconfigure|return|0")},
			[]string{"worker 0", "proxy_on_configure", "vnodes: must be 1 to 1024"}},
		{"VM", Config{VMConfig: []byte("refuse")}, []string{"proxy_on_vm_start", "vm refused"}},
		{"trap", Config{PluginConfig: []byte("configure|log|5|about to die\nconfigure|trap")}, []string{"proxy_on_configure", "about to die"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := guest.NewProxy(context.Background(), test.config)
			if err == nil {
				p.Close()
				t.Fatal("it started")
			}
			for _, part := range test.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q lacks %q", err, part)
				}
			}
		})
	}
}

func TestLogs(t *testing.T) {
	var told []Entry
	p := run(t, script("configure", "level\nlog|2|quiet\nlog|3|loud\nlog|6|x\nlog|4|\nwrite|1|out\nwrite|2|err\nwrite|3|x"),
		Config{LogLevel: LevelWarn, Workers: 2, OnLog: func(e Entry) { told = append(told, e) }})
	one := func(worker int) []Entry {
		return []Entry{{start, worker, LevelWarn, "loud"}, {start, worker, LevelError, ""}, {start, worker, LevelError, "err"}}
	}
	want := append(one(0), one(1)...)
	if diff := cmp.Diff(want, p.Logs()); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestLogFunctions(t *testing.T) {
	p := run(t, script("configure", "level\nlog|6|x\nwrite|1|out\nwrite|3|x\nwrite|2|"), Config{LogLevel: LevelTrace})
	wantSaid(t, p, `
		level() = 0
		log(6,x) = status 2
		write(1,out) = 3
		write(3,x) = status 8
		write(2,) = 0`)
}

func TestLogsAreBounded(t *testing.T) {
	p := run(t, "", Config{})
	p.config.LogKeep = 3
	for _, message := range strings.Split("abcdefghijk", "") {
		p.logAt(0, LevelInfo, message)
	}
	var got string
	for _, e := range p.Logs() {
		got += e.Message
	}
	if got != "ijk" || len(p.log.entries) > 6 {
		t.Errorf("kept %q of %d entries", got, len(p.log.entries))
	}
}

// TestDeterminism runs the same twice, and once with another seed.
func TestDeterminism(t *testing.T) {
	once := func(seed uint64) []Entry {
		p := run(t, "configure|tick|7\ntick|random|16\ntick|"+goodCall, Config{
			Workers: 3, Seed: seed,
			OnCallout: func(c *Callout) { c.Respond(Response{Headers: ok200}, int64(c.ID%5)*1e6) },
		})
		p.Advance(start + 100e6)
		return p.Logs()
	}
	if diff := cmp.Diff(once(1), once(1)); diff != "" {
		t.Errorf("two runs differ:\n%s", diff)
	}
	if cmp.Equal(once(1), once(2)) {
		t.Error("another seed changes nothing")
	}
}

func TestWASIRandom(t *testing.T) {
	p := run(t, "configure|random|0\nconfigure|random|70000", Config{})
	wantSaid(t, p, "random(0) =\nrandom(70000) = status 28")
}
