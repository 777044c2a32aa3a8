//go:build e2eistio

package e2e

import "strings"

// trapping is a module of proxy-wasm 0.2.1 that starts, and traps at every request.
func trapping() []byte {
	section := func(id byte, items ...string) string {
		content := string([]byte{byte(len(items))}) + strings.Join(items, "")
		return string([]byte{id, byte(len(content))}) + content
	}
	export := func(name string, kind, index byte) string {
		return string([]byte{byte(len(name))}) + name + string([]byte{kind, index})
	}
	const function, memory, i32 = 0, 2, "\x7f"
	return []byte("\x00asm\x01\x00\x00\x00" +
		section(1, "\x60\x00\x00", "\x60\x01"+i32+"\x01"+i32, "\x60\x03"+i32+i32+i32+"\x01"+i32) + // types: () → (), i32 → i32, (i32, i32, i32) → i32
		section(3, "\x00", "\x01", "\x02") + // functions, by type
		section(5, "\x00\x01") + // memory of one page
		section(7, export("memory", memory, 0), export("proxy_abi_version_0_2_1", function, 0),
			export("proxy_on_memory_allocate", function, 1), export("proxy_on_request_headers", function, 2)) +
		section(10, "\x02\x00\x0b", "\x04\x00\x41\x00\x0b", "\x03\x00\x00\x0b")) // bodies: return; return 0; unreachable
}
