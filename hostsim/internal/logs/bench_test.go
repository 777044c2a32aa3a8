package logs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/render"
)

// BenchmarkRead reads logs of ordinary shapes, whose bodies are conversations of 8 KB, as hostsim import does.
func BenchmarkRead(b *testing.B) {
	quote := func(s string) string { return string(loose.Marshal(s)) }
	for name, line := range map[string]func(i int, body string) string{
		"bodies": func(_ int, body string) string { return body },
		"access log": func(i int, body string) string {
			return fmt.Sprintf(`{"start_time":"2026-03-01T09:%02d:%02dZ","method":"POST","path":"/v1/chat/completions","response_code":200,"duration":1500,"request_body":%s,"response_body":%s}`,
				i/60%60, i%60, quote(body), quote("data: {\"usage\":{\"completion_tokens\":9}}\n\ndata: [DONE]\n\n"))
		},
		"wrapped": func(i int, body string) string {
			return fmt.Sprintf(`{"_source":{"@timestamp":"2026-03-01T09:%02d:%02dZ","message":%s}}`, i/60%60, i%60, quote(`{"request_body":`+quote(body)+`}`))
		},
		"span": func(i int, body string) string {
			messages := loose.Read([]byte(body)).Object()["messages"].Bytes()
			return fmt.Sprintf(`{"start_time":"2026-03-01T09:%02d:%02dZ","attributes":{"gen_ai.operation.name":"chat","gen_ai.input.messages":%s}}`, i/60%60, i%60, quote(string(messages)))
		},
	} {
		b.Run(name, func(b *testing.B) {
			var log strings.Builder
			for i := range 500 {
				var turns []string
				for turn := range 7 {
					turns = append(turns, fmt.Sprintf(`{"role":%q,"content":%s}`, []string{"user", "assistant"}[turn%2], quote(strings.Repeat(fmt.Sprintf("Row %d, tree %d: \"pruned\".\n", i, turn), 40))))
				}
				log.WriteString(line(i, fmt.Sprintf(`{"model":"m","messages":[%s],"max_tokens":200}`, strings.Join(turns, ","))) + "\n")
			}
			path := filepath.Join(b.TempDir(), "log")
			if err := os.WriteFile(path, []byte(log.String()), 0o600); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(log.Len()))
			b.ReportAllocs()
			for b.Loop() {
				file, err := os.Open(path)
				if err != nil {
					b.Fatal(err)
				}
				lines, _, err := Read([]File{{Name: "log", In: file}}, Options{Accept: func(path string, body []byte) error {
					_, err := render.Request(path, body, 1)
					return err
				}})
				if err != nil || len(lines) != 500 {
					b.Fatalf("%d requests, %v", len(lines), err)
				}
				_ = file.Close()
			}
		})
	}
}
