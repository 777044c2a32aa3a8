package trace

import (
	"os"
	"path/filepath"
	"testing"
)

// TestPublishedFiles reads the public traces from the folder that WARMROUTE_TRACES names, and the
// repository's own otherwise.
func TestPublishedFiles(t *testing.T) {
	files := []struct {
		name               string
		requests, sessions int
	}{
		{"mooncake_conversation.jsonl.gz", 7851, 4931},
		{"mooncake_synthetic.jsonl.gz", 3993, 2245},
		{"claude_code_sessions.delta.jsonl.gz", 27848, 458},
		{"AzureLLMInferenceTrace_conv.csv.gz", 19366, 19366},
		{"AzureLLMInferenceTrace_code.csv.gz", 8819, 8819},
		{"lmbenchmark_sharegpt.json.gz", 252, 252},
	}
	root := os.Getenv("WARMROUTE_TRACES")
	if root == "" {
		root = own
		files = files[:0]
		files = append(files, []struct {
			name               string
			requests, sessions int
		}{{"mooncake.jsonl", 6, 3}, {"sessions.jsonl", 8, 3}, {"openai.jsonl", 4, 3}, {"azure.csv", 3, 3}, {"lmbench.json", 2, 2}}...)
	}
	for _, f := range files {
		tr := mustOpen(t, filepath.Join(root, f.name), Options{})
		if len(tr.Requests) != f.requests || tr.Sessions != f.sessions {
			t.Errorf("%s: %d requests, %d sessions; want %d, %d", f.name, len(tr.Requests), tr.Sessions, f.requests, f.sessions)
		}
		if tr.BlockSize == 0 {
			continue
		}
		// An id always stands for as many tokens, or the text made of it would not be the same.
		size := make([]int32, tr.IDs)
		for i := range tr.Requests {
			left := int32(tr.Requests[i].InputTokens)
			for _, s := range tr.Requests[i].Blocks {
				for id := s.First; id < s.First+s.N; id++ {
					n := min(left, int32(tr.BlockSize))
					if left -= n; size[id] != 0 && size[id] != n {
						t.Fatalf("%s: request %d: id %d stands for %d tokens, and for %d before", f.name, i, id, n, size[id])
					}
					size[id] = n
				}
			}
		}
	}
}
