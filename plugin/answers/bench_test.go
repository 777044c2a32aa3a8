package answers

import (
	"strings"
	"testing"
)

func BenchmarkUsageEvents(b *testing.B) {
	event := `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"orchard-8b-instruct","choices":[{"index":0,"delta":{"content":" pear"},"logprobs":null,"finish_reason":null}]}` + "\n\n"
	body := []byte(strings.Repeat(event, 100) + chatEvents)
	var u Usage
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		u.Reset(true)
		u.Write(body)
	}
}
