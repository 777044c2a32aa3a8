package prompt

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"warmroute/plugin/prefix"
)

// benchBody is a chat request of about size bytes, in ten turns.
func benchBody(kind string, size int) []byte {
	turn, head := size/10, `{"model":"orchard-8b-instruct","messages":[`
	var text string
	switch kind {
	case "ascii":
		text = strings.Repeat("The pear trees along the south wall want pruning before the frost. ", turn/67+1)
	case "escapes":
		text = strings.Repeat(`\tif (row[\"pear\"] > 0) {\n\t\tprintf(\"%d\\n\", row[\"pear\"]);\n\t}\n// \u00e9t\u00e9 \ud83c\udf50\n`, turn/100+1)
	case "cjk":
		text = strings.Repeat("南の壁に沿った梨の木は霜が降りる前に剪定が必要です。", turn/78+1)
	case "image":
		data := strings.Repeat(base64.StdEncoding.EncodeToString([]byte("pixels of a pear \xfe\xdc\xba")), size/28+1)[:size]
		return []byte(head + `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + data +
			`"}},{"type":"text","text":"What ails this pear?"}]}],"stream":true}`)
	}
	if text = text[:min(len(text), turn)]; kind == "escapes" {
		text = text[:strings.LastIndex(text, `\t`)]
		text = text[:strings.LastIndex(text+`\n`, `\n`)]
	}
	text = strings.ToValidUTF8(text, "")
	turns := make([]string, 10)
	for i := range turns {
		turns[i] = fmt.Sprintf(`{"role":%q,"content":"%s"}`, []string{"user", "assistant"}[i%2], text)
	}
	return []byte(head + strings.Join(turns, ",") + `],"stream":true}`)
}

var (
	benchKinds = []string{"ascii", "escapes", "cjk", "image"}
	benchSizes = []int{4 << 10, 64 << 10, 400 << 10, 1 << 20}
)

// benchEach runs a benchmark for each body. Throughput is of body bytes.
func benchEach(b *testing.B, run func(b *testing.B, body []byte)) {
	for _, kind := range benchKinds {
		for _, size := range benchSizes {
			b.Run(fmt.Sprintf("%s/%dKB", kind, size>>10), func(b *testing.B) {
				body := benchBody(kind, size)
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				run(b, body)
			})
		}
	}
}

// scanOnce reads body in chunks of 16 KB, as Envoy hands them on.
func scanOnce(b *testing.B, s *Scanner, body []byte) *Prompt {
	s.Reset(Chat, nil)
	for len(body) > 0 {
		n := min(len(body), 16<<10)
		s.Write(body[:n])
		body = body[n:]
	}
	if s.Close() != Ready {
		b.Fatal(s.Why())
	}
	return s.Prompt()
}

func BenchmarkScan(b *testing.B) {
	benchEach(b, func(b *testing.B, body []byte) {
		s := NewScanner(Options{})
		for b.Loop() {
			scanOnce(b, s, body)
		}
	})
}

func BenchmarkScanAndChain(b *testing.B) {
	benchEach(b, func(b *testing.B, body []byte) {
		s := NewScanner(Options{})
		var chain prefix.Chain
		for b.Loop() {
			p := scanOnce(b, s, body)
			p.Chain(&chain, prefix.Seed(p.Model, p.Adapter, p.Salt, nil))
		}
	})
}

func BenchmarkFastjson(b *testing.B) {
	benchEach(b, func(b *testing.B, body []byte) {
		var parser fastjson.Parser
		for b.Loop() {
			v, err := parser.ParseBytes(body)
			if err != nil {
				b.Fatal(err)
			}
			n := len(v.GetStringBytes("model"))
			for _, turn := range v.GetArray("messages") {
				n += len(turn.GetStringBytes("content")) + len(turn.GetStringBytes("role"))
				for _, part := range turn.GetArray("content") {
					n += len(part.GetStringBytes("text")) + len(part.GetStringBytes("image_url", "url"))
				}
			}
			if n == 0 {
				b.Fatal("nothing was read")
			}
		}
	})
}
