package trace

import "testing"

// A log of another program is no trace, though its first line has a comma or a member as one of ours has.
func TestDetect(t *testing.T) {
	for head, want := range map[string]Format{
		"TIMESTAMP,ContextTokens,GeneratedTokens\n":                                            Azure,
		"2023-11-16 18:17:03.9799600,1000,10\r\n":                                              Azure,
		"2024-05-10 00:00:00.009930+00:00,2162,5\n":                                            Azure,
		"2023-11-16 18:17:03.9799600,1000,ten\n":                                               Azure, // whose error names the field
		`{"id":"a","block_size":64,"requests":[]}`:                                             Sessions,
		"2026-03-01 09:00:00,123 INFO gateway: started, ready\n":                               "",
		`2026-03-01T09:00:00.1Z stdout F {"level":"info","msg":"starting","port":8080}` + "\n": "",
		`10.0.0.1, 10.0.0.2 - - [01/Mar/2026:09:00:00 +0000] "GET /healthz HTTP/1.1" 200 2 "-" "Mozilla (KHTML, like Gecko)"` + "\n": "",
		`{"requests":[{"timestamp":"2026-03-01T09:00:00Z","body":{"messages":[{"role":"user","content":"Which row is ripe?"}]}}]}`:   "",
		`{"timestamp":1772355600000,"body":{"messages":[{"role":"user","content":"Which row is ripe?"}]}}`:                           "",
	} {
		if got := Detect([]byte(head)); got != want {
			t.Errorf("%s: format %q, want %q", head, got, want)
		}
	}
}
