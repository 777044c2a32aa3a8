// Package host runs proxy-wasm modules offline: it is one Envoy process, with its worker VMs, in virtual time.
//
// It implements every function and callback for HTTP of the proxy-wasm ABI 0.2.1 (github.com/proxy-wasm/spec,
// abi-versions/v0.2.1: Integration, Memory management, Context lifecycle, Configuration, Logging, Clocks, Timers,
// Randomness, Environment variables, Buffers, HTTP fields, Common stream operations, HTTP, HTTP calls, Shared
// Key-Value Store, Shared Queues, Metrics, Properties, Serialization) on wazero, from the specification and not
// from any SDK, so that a mistake in the SDK or in the module shows. gRPC calls answer internal failure, foreign
// functions not found, and TCP streams have no callbacks.
//
// Where Envoy 1.40 is stricter than, or different from, the specification, Envoy wins, because the module will run there:
//
//   - Pause from a headers callback is StopAllIterationAndWatermark: the body is held and its callback does not
//     come before proxy_continue_stream, unless Config.AllowOnHeadersStopIteration.
//   - Pause from a body callback buffers: the next callback sees the whole buffer. More than Config.BodyLimit
//     bytes in it is a local reply, 413 for requests and 500 for responses.
//   - A request goes to a route with a retry policy, as in the shipped examples, unless Config.NoRetries. Envoy's router
//     then keeps all that it was sent, up to Config.BodyLimit, in the very buffer in which a paused body is held, and
//     whatever leaves that buffer leaves with all that was before it: the upstream gets the earlier parts twice, past
//     the content-length that was announced. That happens to a pause in the body or trailers callback after a part
//     has left, and to the next part after proxy_continue_stream on a body that was paused in its callback, because
//     the filter's buffering flag stays set. Continue from the callback that paused, before anything has left, is safe.
//   - Header and trailer maps can be reached while the message is paused in or inside their callback, and in
//     proxy_on_log. Elsewhere reading one value is BadArgument and reading all pairs gives none.
//     proxy_continue_stream closes the request's maps at once.
//   - What the module asks for in a callback (continue, close, local reply) happens after that callback.
//   - A local reply made before the response began passes through the module's own response callbacks.
//   - The end of a stream is proxy_on_log, proxy_on_done, proxy_on_delete, in this order, whatever proxy_on_done
//     says. This host does not wait for the plugin context either, so proxy_done is always not found.
//   - _start is called only where _initialize is not exported, and most host functions trap during either.
//   - proc_exit returns to the module.
//   - The last VM that registered a shared queue is the only one told of new items.
//   - Shared data is never deleted, and a CAS on a missing key creates it.
//   - A trap gives the request that caused it 503, whatever the failure policy, and kills that VM only. Its other
//     streams get no further callback, so never proxy_on_done.
//   - An HTTP call that is refused or times out is answered with Envoy's own 503 or 504. A callback with no headers
//     comes only of a response that breaks off.
//   - proxy_continue_stream inside a headers callback sends the headers at once, and inside the body callback of the
//     last part it loses that part.
//   - proxy_get_buffer_bytes past the end is cut short instead of BadArgument.
//
// What the list says, and the results of the functions in corner cases, are those of Envoy 1.40 with the guest of this
// package's tests: the same scripts ran on both.
//
// A Proxy and all that belongs to it must be used from one goroutine at a time. Nothing in it reads the wall clock,
// starts a goroutine or depends on map order: the same calls give the same results.
package host
