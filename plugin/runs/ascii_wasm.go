//go:build tinygo && wasm

package runs

/*
typedef signed char lanes __attribute__((vector_size(16), aligned(1)));

// ENDS marks what Special marks: as signed bytes, those from 0x80 on are below a space.
#define ENDS(v) ((v) < ' ' | (v) == '"' | (v) == '\\')

// warmroute_run_end is ASCII from i on, in n bytes at p. It is not static: TinyGo would name it by the folder.
__attribute__((target("simd128")))
unsigned warmroute_run_end(const unsigned char *p, unsigned i, unsigned n) {
	for (; n - i >= 64; i += 64) {
		const lanes *v = (const lanes *)(p + i);
		if (__builtin_wasm_any_true_v128(ENDS(v[0]) | ENDS(v[1]) | ENDS(v[2]) | ENDS(v[3]))) break;
	}
	for (; n - i >= 16; i += 16) {
		unsigned mask = __builtin_wasm_bitmask_i8x16(ENDS(*(const lanes *)(p + i)));
		if (mask) return i + __builtin_ctz(mask);
	}
	while (i < n && p[i] >= ' ' && p[i] < 0x80 && p[i] != '"' && p[i] != '\\') i++;
	return i;
}
*/
import "C"

import "unsafe"

// ASCII returns the end of the run of plain ASCII that starts at i, 64 bytes at a time: WebAssembly has vectors, and TinyGo
// 0.41 neither makes them of loops nor has a name for them. So this one loop is C, which TinyGo compiles itself.
func ASCII(b []byte, i int) int {
	if i >= len(b) {
		return i
	}
	return int(C.warmroute_run_end((*C.uchar)(unsafe.SliceData(b)), C.uint(i), C.uint(len(b))))
}
