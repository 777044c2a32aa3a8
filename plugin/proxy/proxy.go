// Package proxy has every call to the proxy. None decides anything. What the SDK does well is called through it; what it does not, TinyGo's
// side calls by the ABI itself (abi_tinygo.go, wasi_tinygo.go), and native.go does so in tests.
//
// Calls that return bytes are expensive (the proxy calls back into the module's allocator), so headers are read all at once and bodies only
// if they are scanned. What a call returns is valid until the callback ends (memory_tinygo.go).
package proxy

import (
	"slices"
	"time"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm"
)

// Configuration is a copy of the filter's configuration.
func Configuration() ([]byte, error) {
	text, err := proxywasm.GetPluginConfiguration()
	return slices.Clone(text), err
}

// FilterName is the filter's name in the proxy's configuration.
func FilterName() string {
	return string(Property("plugin_name"))
}

// Now is the proxy's clock in nanoseconds. Tests put their own in its place.
var Now = func() int64 { return time.Now().UnixNano() }

// SetTick has the proxy tick so often; 0: never.
func SetTick(every time.Duration) error {
	return proxywasm.SetTickPeriodMilliSeconds(uint32(every / time.Millisecond))
}

// SharedData is what all workers of the proxy see.
type SharedData struct{}

func (SharedData) Get(key string) ([]byte, uint32, bool) {
	value, version, err := proxywasm.GetSharedData(key)
	return value, version, err == nil
}

func (SharedData) Set(key string, value []byte, version uint32) bool {
	return proxywasm.SetSharedData(key, value, version) == nil
}

// Enter makes the calls that follow those of a request, from outside its own callbacks; false if it has ended.
func Enter(id uint32) bool { return proxywasm.SetEffectiveContext(id) == nil }

// ResumeHere continues the paused request that was entered.
func ResumeHere() { _ = proxywasm.ResumeHttpRequest() }

// Resume continues a paused request, from outside its own callbacks.
func Resume(id uint32) {
	if Enter(id) {
		ResumeHere()
	}
}

// RegisterQueue makes a shared queue that this VM alone is told of.
func RegisterQueue(name string) (id uint32, err error) { return proxywasm.RegisterSharedQueue(name) }

// Enqueue adds an item to a queue of any VM.
func Enqueue(queue uint32, item []byte) { _ = proxywasm.EnqueueSharedQueue(queue, item) }

// Dequeue takes an item; nil: there is none.
func Dequeue(queue uint32) []byte {
	item, err := proxywasm.DequeueSharedQueue(queue)
	if err != nil {
		return nil
	}
	return item
}

// LogWarn and LogCritical write a line to the proxy's log.
func LogWarn(text string)     { proxywasm.LogWarn(text) }
func LogCritical(text string) { proxywasm.LogCritical(text) }
