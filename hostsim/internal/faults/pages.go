package faults

import (
	"bytes"
	"fmt"
	"strings"

	"warmroute/plugin/config"
)

// bodyOf is what clients send: the usual, and what no client should.
func bodyOf(n int) (path string, body string, headers []string) {
	text := fmt.Sprintf("Text %d begins here. ", n%17) + strings.Repeat(fmt.Sprintf("And %d goes on. ", n%17), []int{1, 30, 300, 9000}[n>>5%4])
	more := []string{"", `,"stream":true`, `,"stream":true,"stream_options":{"include_usage":true}`, `,"prompt_logprobs":1`, `,"cache_salt":"s"`, `,"n":2`}[n>>7%6]
	head := `{"model":"m","tools":[],"messages":[{"role":"user","content":"`
	switch n >> 10 % 12 {
	case 0:
		return "/v1/completions", `{"model":"m","prompt":"` + text + `"` + more + `}`, nil
	case 1:
		return chats, head + text, nil // cut short
	case 2:
		return chats, `{"messages":` + strings.Repeat("[", 100), nil
	case 3:
		return "/v1/embeddings", `{"input":"x"}`, nil
	case 4:
		return chats, "", nil
	case 5:
		return chats, head + text + `"}]}`, []string{config.EndpointHeader, "10.9.9.9:1", "content-encoding", "identity"}
	case 6:
		return chats, head + text + `"}]}}}}`, []string{"x-session-id", fmt.Sprint(n % 5)}
	case 7:
		turn := `{"content":"` + text + `","role":"user"}` // members in order, as many clients write them
		return chats, `{"messages":[` + turn + `,` + turn + `],"model":"m"` + more + `}`, nil
	}
	return chats, head + text + `"}]` + more + `}`, nil
}

// pages chooses what the replicas and the admin interface answer.
func (p *player) pages(kind int) {
	p.Answers, p.Page, p.Admin = true, nil, p.admin
	whole := func(r *Replica) []byte { return r.metrics() }
	switch kind % 9 {
	case 1:
		p.Answers = false
	case 2:
		p.Page = func(r *Replica) []byte { return bytes.Repeat(whole(r), 300) }
	case 3:
		p.Page = func(r *Replica) []byte { return whole(r)[:40] }
	case 4:
		p.Page = func(*Replica) []byte {
			return []byte("vllm:num_requests_running -1e300\nvllm:num_requests_waiting NaN\nvllm:kv_cache_usage_perc +Inf\nvllm:cache_config_info{block_size=\"99999999999\",num_gpu_blocks=\"-3\"} 1\nvllm:prefix_cache_queries_total -5\n")
		}
	case 5:
		p.Page = func(*Replica) []byte {
			return []byte("vllm:num_requests_running 1e9\nvllm:num_requests_waiting 1e18\nvllm:cache_config_info{block_size=\"1\",num_gpu_blocks=\"1\"} 1\n")
		}
	case 6:
		p.Page = func(*Replica) []byte { return []byte("<html>\x00\xff") }
	case 7:
		p.Admin = nil
	case 8:
		p.Admin = func() []byte { page := p.admin(); return page[:len(page)*2/3] }
	}
}

// admin is the page of clusters, with the first members of the replicas.
func (p *player) admin() []byte {
	var b strings.Builder
	b.WriteString(`{"cluster_statuses":[{"name":"vllm","host_statuses":[`)
	for i, r := range p.Replicas[:p.members] {
		if i > 0 {
			b.WriteByte(',')
		}
		ip, port, _ := strings.Cut(r.Address, ":")
		health := "HEALTHY"
		if r.Mode == Fails {
			health = "UNHEALTHY"
		}
		fmt.Fprintf(&b, `{"address":{"socket_address":{"address":%q,"port_value":%s}},"health_status":{"eds_health_status":%q},"weight":1}`, ip, port, health)
	}
	b.WriteString(`]}]}`)
	return []byte(b.String())
}
