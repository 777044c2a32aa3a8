package main

// bad calls a function of the host with addresses outside of this module's memory.
func bad(function string) string {
	const out = 0xfffffff0
	key := heap(":path")
	p, n, ok := address(key), uint32(len(key)), at(&c)
	calls := map[string][]func() uint32{
		"log":         {func() uint32 { return proxyLog(0, out, 32) }},
		"level":       {func() uint32 { return proxyGetLogLevel(out + 14) }},
		"time":        {func() uint32 { return proxyTime(out + 10) }},
		"size":        {func() uint32 { return proxyMapSize(0, out+13) }},
		"pairs":       {func() uint32 { return proxyMapPairs(0, out+13, ok) }, func() uint32 { return proxyMapPairs(0, ok, out+13) }},
		"setpairs":    {func() uint32 { return proxySetMapPairs(0, out, 32) }},
		"get":         {func() uint32 { return proxyMapValue(0, out, 32, ok, ok) }, func() uint32 { return proxyMapValue(0, p, n, out+13, ok) }, func() uint32 { return proxyMapValue(0, p, n, ok, out+13) }},
		"add":         {func() uint32 { return proxyAddMapValue(0, out, 32, p, n) }, func() uint32 { return proxyAddMapValue(0, p, n, out, 32) }},
		"replace":     {func() uint32 { return proxyReplaceMapValue(0, out, 32, p, n) }, func() uint32 { return proxyReplaceMapValue(0, p, n, out, 32) }},
		"remove":      {func() uint32 { return proxyRemoveMapValue(0, out, 32) }},
		"buffer":      {func() uint32 { return proxyBuffer(6, 0, 9, out+13, ok) }, func() uint32 { return proxyBuffer(6, 0, 9, ok, out+13) }},
		"buffersize":  {func() uint32 { return proxyBufferStatus(6, out+13, ok) }, func() uint32 { return proxyBufferStatus(6, ok, out+13) }},
		"setbuffer":   {func() uint32 { return proxySetBuffer(0, 0, 0, out, 32) }},
		"shared":      {func() uint32 { return proxySharedData(out, 32, ok, ok, ok) }, func() uint32 { return proxySharedData(p, n, out+13, ok, ok) }, func() uint32 { return proxySharedData(p, n, ok, ok, out+13) }},
		"setshared":   {func() uint32 { return proxySetSharedData(out, 32, p, n, 0) }, func() uint32 { return proxySetSharedData(p, n, out, 32, 0) }},
		"register":    {func() uint32 { return proxyRegisterQueue(out, 32, ok) }, func() uint32 { return proxyRegisterQueue(p, n, out+13) }},
		"resolve":     {func() uint32 { return proxyResolveQueue(out, 32, p, n, ok) }, func() uint32 { return proxyResolveQueue(0, 0, out, 32, ok) }, func() uint32 { return proxyResolveQueue(0, 0, p, n, out+13) }},
		"enqueue":     {func() uint32 { return proxyEnqueue(1, out, 32) }},
		"dequeue":     {func() uint32 { proxyEnqueue(1, p, n); return proxyDequeue(1, out+13, ok) }},
		"define":      {func() uint32 { return proxyDefineMetric(0, out, 32, ok) }, func() uint32 { return proxyDefineMetric(0, p, n, out+13) }},
		"metric":      {func() uint32 { return proxyMetric(4, out+10) }},
		"http":        {func() uint32 { return proxyHTTPCall(out, 32, p, 0, p, 0, p, 0, 1, ok) }, func() uint32 { return proxyHTTPCall(p, n, out, 32, p, 0, p, 0, 1, ok) }, func() uint32 { return proxyHTTPCall(p, n, p, 0, out, 32, p, 0, 1, ok) }, func() uint32 { return proxyHTTPCall(p, n, p, 0, p, 0, out, 32, 1, ok) }, func() uint32 { return proxyHTTPCall(p, n, p, 0, p, 0, p, 0, 1, out+13) }},
		"property":    {func() uint32 { return proxyProperty(out, 32, ok, ok) }},
		"setproperty": {func() uint32 { return proxySetProperty(out, 32, p, n) }, func() uint32 { return proxySetProperty(p, n, out, 32) }},
		"local":       {func() uint32 { return proxyLocalResponse(200, out, 32, p, 0, p, 0, 0) }, func() uint32 { return proxyLocalResponse(200, p, 0, out, 32, p, 0, 0) }, func() uint32 { return proxyLocalResponse(200, p, 0, p, 0, out, 32, 0) }},
		"status":      {func() uint32 { return proxyStatus(out+13, ok, ok) }, func() uint32 { return proxyStatus(ok, out+13, ok) }},
		"foreign":     {func() uint32 { return proxyForeign(out, 32, 0, 0, ok, ok) }, func() uint32 { return proxyForeign(p, n, out, 32, ok, ok) }},
		"clock":       {func() uint32 { return wasiClock(0, 0, out+10) }},
		"random":      {func() uint32 { return wasiRandom(out, 32) }},
		"write":       {func() uint32 { return wasiWrite(1, out+10, 1, ok) }, func() uint32 { return wasiWrite(1, ok, 0, out+13) }},
	}
	text := ""
	for _, call := range calls[function] {
		text += dec(call()) + " "
	}
	return text
}
