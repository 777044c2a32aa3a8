package worker

import (
	"strconv"

	"warmroute/plugin/bytestr"
	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/route"
)

// recorder decides which requests are recorded: at most RecordPerSecond a second in each worker, so that logs stay bounded.
type recorder struct {
	key    [2]uint64
	rate   int
	second int64 // of the last request
	count  int   // recorded in that second
	missed int   // not recorded since the last that was
}

func newRecorder(cfg *config.Config) *recorder {
	if !cfg.Record {
		return nil
	}
	return &recorder{key: cfg.RecordSecret, rate: cfg.RecordPerSecond}
}

// take says whether a request at that time is recorded.
func (r *recorder) take(now int64) bool {
	if second := now / 1e9; second != r.second {
		r.second, r.count = second, 0
	}
	if r.count >= r.rate {
		r.missed++
		return false
	}
	r.count++
	return true
}

// recorded is what a record has beside the decision and the response.
type recorded struct {
	on      bool
	session uint64 // keyed hash of what names the session; 0: nothing does
	missed  int
}

// record begins the record of a request that was just decided.
func (x *Exchange) record(req *decision.Request, now int64) {
	r := x.worker.recorder
	if r == nil || req.Prompt == nil || !r.take(now) {
		return
	}
	x.recorded = recorded{on: true, missed: r.missed}
	r.missed = 0
	if key, ok := route.Session(req); ok {
		x.recorded.session = bytestr.Mac(r.key, key)
	}
}

// maxRecorded bounds the blocks in a record: at most 5.5 KB of it, 6 MB of prompt.
const maxRecorded = 512

// Record describes the request for a replay, without any of its text, as name=value pairs joined by ';' (nil: it is not
// recorded):
//
//	wr1;t=ms since 1970;s=session;n=bytes of canonical prompt;p=prompt tokens;c=cached tokens;o=output tokens;f=ms to the
//	first token;d=ms to the end;m=requests not recorded before;b=blocks
//
// A block is six bytes of a keyed hash of the prompt up to its end, and the block's length as a varint before them; all are in
// base64url. What is not known is left out. now is the time, in ns.
func (x *Exchange) Record(now int64) []byte {
	if !x.recorded.on || x.pool == nil || x.pool.known == nil {
		return nil
	}
	f := &x.decision.Flight
	dst := append([]byte("wr1;t="), strconv.FormatInt(x.began/1e6, 10)...)
	if s := x.recorded.session; s != 0 {
		dst = append(dst, ";s="...)
		dst = bytestr.AppendHex(dst, s>>16, 12)
	}
	number := func(name string, n int64) {
		if n > 0 {
			dst = append(dst, ';')
			dst = append(dst, name...)
			dst = append(dst, '=')
			dst = strconv.AppendInt(dst, n, 10)
		}
	}
	number("n", int64(f.Bytes()))
	if x.known {
		number("p", int64(x.tokens))
		dst = append(dst, ";c="...)
		dst = strconv.AppendInt(dst, int64(x.cached), 10)
	}
	number("o", int64(x.output))
	number("f", x.ttft/1e6)
	if !x.open || x.finished {
		number("d", (now-x.began)/1e6)
	}
	number("m", int64(x.recorded.missed))
	dst = append(dst, ";b="...)
	return x.appendBlocks(dst)
}

func (x *Exchange) appendBlocks(dst []byte) []byte {
	c := &x.decision.Chain
	var raw [16]byte
	var rest bytestr.Base64
	before := 0
	for i := range min(c.Len(), maxRecorded) {
		end := c.Covered(i + 1)
		block := raw[:0]
		for size := uint(end - before); ; size >>= 7 {
			if size < 0x80 {
				block = append(block, byte(size))
				break
			}
			block = append(block, byte(size)|0x80)
		}
		before = end
		hash := bytestr.Mac(x.worker.recorder.key, c.Hash[i])
		for shift := range 6 {
			block = append(block, byte(hash>>(8*shift)))
		}
		dst = rest.Append(dst, block)
	}
	return rest.Close(dst)
}
