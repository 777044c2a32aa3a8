package main

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
)

// What the host reads or writes must not be on a stack, which moves: results go to these variables, and arguments are
// pinned for the length of an event.
var (
	a, b, c uint32
	wide    uint64
	pinned  [][]byte
)

// heap is text in memory, with an address even if it is empty.
func heap(text string) []byte {
	m := append([]byte(text), 0)[:len(text)]
	pinned = append(pinned, m)
	return m
}

func say(text string) {
	m := heap(text)
	proxyLog(0, address(m), uint32(len(m)))
}

// arg is argument i as a number; -1 is the largest.
func arg(s step, i int) uint32 {
	n, _ := strconv.ParseInt(s.args[i], 0, 64)
	return uint32(n)
}

func got(status uint32, value string) string {
	if status != 0 {
		return "status " + dec(status)
	}
	return value
}

func getMapValue(kind uint32, name string) (uint32, string) {
	key := heap(name)
	a, b = 0, 0
	status := proxyMapValue(kind, address(key), uint32(len(key)), at(&a), at(&b))
	return status, take(a, b)
}

func getBuffer(kind, start, length uint32) (uint32, string) {
	a, b = 0, 0
	status := proxyBuffer(kind, start, length, at(&a), at(&b))
	return status, take(a, b)
}

// pairs serializes "k=v;k=v".
func pairs(text string) []byte {
	if text == "" {
		return nil
	}
	list := strings.Split(text, ";")
	m := binary.LittleEndian.AppendUint32(nil, uint32(len(list)))
	for _, pair := range list {
		k, v, _ := strings.Cut(pair, "=")
		m = binary.LittleEndian.AppendUint32(m, uint32(len(k)))
		m = binary.LittleEndian.AppendUint32(m, uint32(len(v)))
	}
	for _, pair := range list {
		k, v, _ := strings.Cut(pair, "=")
		m = append(append(append(append(m, k...), 0), v...), 0)
	}
	return heap(string(m))
}

// unpair is the inverse of pairs.
func unpair(m string) string {
	if m == "" {
		return ""
	}
	raw := []byte(m)
	count := int(binary.LittleEndian.Uint32(raw))
	text := m[4+8*count:]
	var list []string
	for i := range count {
		k := int(binary.LittleEndian.Uint32(raw[4+8*i:]))
		v := int(binary.LittleEndian.Uint32(raw[8+8*i:]))
		list = append(list, text[:k]+"="+text[k+1:k+1+v])
		text = text[k+1+v+1:]
	}
	return strings.Join(list, ";")
}

func run(s step) string {
	raw := make([][]byte, len(s.args))
	for i, text := range s.args {
		raw[i] = heap(text)
	}
	p := func(i int) uint32 { return address(raw[i]) }
	n := func(i int) uint32 { return uint32(len(raw[i])) }
	a, b, c, wide = 0, 0, 0, 0
	switch s.op {
	case "trap":
		var nothing *step
		return nothing.op
	case "allocs":
		return dec(uint32(allocs)) + " of which empty " + dec(uint32(zeroes))
	case "log":
		return got(proxyLog(arg(s, 0), p(1), n(1)), "ok")
	case "level":
		return got(proxyGetLogLevel(at(&a)), dec(a))
	case "tick":
		return got(proxySetTick(arg(s, 0)), "ok")
	case "time":
		return got(proxyTime(at(&wide)), strconv.FormatUint(wide, 10))
	case "size":
		return got(proxyMapSize(arg(s, 0), at(&a)), dec(a))
	case "pairs":
		status := proxyMapPairs(arg(s, 0), at(&a), at(&b))
		return got(status, unpair(take(a, b)))
	case "setpairs":
		m := pairs(s.args[1])
		status := proxySetMapPairs(arg(s, 0), address(m), uint32(len(m)))
		return got(status, "ok")
	case "setpairs-raw":
		return got(proxySetMapPairs(arg(s, 0), p(1), n(1)), "ok")
	case "get":
		status, value := getMapValue(arg(s, 0), s.args[1])
		return got(status, value)
	case "add":
		return got(proxyAddMapValue(arg(s, 0), p(1), n(1), p(2), n(2)), "ok")
	case "replace":
		return got(proxyReplaceMapValue(arg(s, 0), p(1), n(1), p(2), n(2)), "ok")
	case "remove":
		return got(proxyRemoveMapValue(arg(s, 0), p(1), n(1)), "ok")
	case "buffer":
		status, value := getBuffer(arg(s, 0), arg(s, 1), arg(s, 2))
		return got(status, value)
	case "buffersize":
		return got(proxyBufferStatus(arg(s, 0), at(&a), at(&b)), dec(a))
	case "setbuffer":
		return got(proxySetBuffer(arg(s, 0), arg(s, 1), arg(s, 2), p(3), n(3)), "ok")
	case "shared":
		status := proxySharedData(p(0), n(0), at(&a), at(&b), at(&c))
		lastCAS = c
		return got(status, take(a, b)+" cas "+dec(c))
	case "setshared":
		return got(proxySetSharedData(p(0), n(0), p(1), n(1), arg(s, 2)), "ok")
	case "setshared-lastcas":
		return got(proxySetSharedData(p(0), n(0), p(1), n(1), lastCAS), "ok")
	case "register":
		return got(proxyRegisterQueue(p(0), n(0), at(&a)), dec(a))
	case "resolve":
		return got(proxyResolveQueue(p(0), n(0), p(1), n(1), at(&a)), dec(a))
	case "enqueue":
		return got(proxyEnqueue(arg(s, 0), p(1), n(1)), "ok")
	case "dequeue":
		status := proxyDequeue(arg(s, 0), at(&a), at(&b))
		return got(status, take(a, b))
	case "define":
		return got(proxyDefineMetric(arg(s, 0), p(1), n(1), at(&a)), dec(a))
	case "increment":
		delta, _ := strconv.ParseInt(s.args[1], 10, 64)
		return got(proxyIncrementMetric(arg(s, 0), delta), "ok")
	case "record":
		value, _ := strconv.ParseUint(s.args[1], 10, 64)
		return got(proxyRecordMetric(arg(s, 0), value), "ok")
	case "metric":
		return got(proxyMetric(arg(s, 0), at(&wide)), strconv.FormatUint(wide, 10))
	case "http":
		headers, trailers := pairs(s.args[1]), pairs(s.args[3])
		status := proxyHTTPCall(p(0), n(0), address(headers), uint32(len(headers)), p(2), n(2), address(trailers),
			uint32(len(trailers)), arg(s, 4), at(&a))
		return got(status, dec(a))
	case "property", "setproperty":
		path := heap(strings.ReplaceAll(s.args[0], ".", "\x00"))
		if s.op == "setproperty" {
			return got(proxySetProperty(address(path), uint32(len(path)), p(1), n(1)), "ok")
		}
		status := proxyProperty(address(path), uint32(len(path)), at(&a), at(&b))
		return got(status, take(a, b))
	case "effective":
		return got(proxySetEffectiveContext(arg(s, 0)), "ok")
	case "proxydone":
		return got(proxyDone(), "ok")
	case "continue":
		return got(proxyContinue(arg(s, 0)), "ok")
	case "close":
		return got(proxyClose(arg(s, 0)), "ok")
	case "local":
		headers := pairs(s.args[3])
		status := proxyLocalResponse(arg(s, 0), p(1), n(1), p(2), n(2), address(headers), uint32(len(headers)), 0xffffffff)
		return got(status, "ok")
	case "status":
		status := proxyStatus(at(&a), at(&b), at(&c))
		return got(status, dec(a)+" "+take(b, c))
	case "foreign":
		return got(proxyForeign(p(0), n(0), 0, 0, at(&a), at(&b)), "ok")
	case "grpc":
		return strings.Join([]string{dec(proxyGRPCCall(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)),
			dec(proxyGRPCStream(0, 0, 0, 0, 0, 0, 0, 0, 0)), dec(proxyGRPCSend(1, 0, 0, 0)), dec(proxyGRPCCancel(1)),
			dec(proxyGRPCClose(1))}, " ")
	case "clock":
		return got(wasiClock(arg(s, 0), 0, at(&wide)), strconv.FormatUint(wide, 10))
	case "random":
		bytes := heap(strings.Repeat("\x00", int(arg(s, 0))))
		status := wasiRandom(address(bytes), uint32(len(bytes)))
		return got(status, hex.EncodeToString(bytes))
	case "write":
		vector := heap(string(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, p(1)), n(1))))
		status := wasiWrite(arg(s, 0), address(vector), 1, at(&a))
		return got(status, dec(a))
	case "bad":
		return bad(s.args[0])
	}
	return "unknown operation"
}
