// Package faults plays a proxy with the compiled module, its replicas and its clients, in virtual time, and lets any of them
// fail in any way: the same seed plays the same. What it checks is what a client, an operator and Envoy would: every request
// is answered once, by a replica that Envoy would have chosen or by Envoy itself; nothing stays in flight; no callback
// traps; the module's memory has a bound.
package faults
