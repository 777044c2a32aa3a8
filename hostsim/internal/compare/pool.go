package compare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// pool talks to the replicas directly, not through a gateway.
type pool struct {
	urls []string
	http *http.Client
}

func newPool(addresses []string) *pool {
	p := &pool{http: &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{}}} // no proxy from the environment
	for _, address := range addresses {
		p.urls = append(p.urls, "http://"+address)
	}
	return p
}

// errNoSuchPage is status 404: the server does not have that page.
var errNoSuchPage = errors.New("not found")

func (p *pool) do(ctx context.Context, method, url string, body []byte) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := p.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", url, err)
	case response.StatusCode == http.StatusNotFound:
		return nil, fmt.Errorf("%s: %w", url, errNoSuchPage)
	case response.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answered %s: %.200s", url, response.Status, text)
	}
	return text, nil
}

// counters reads every replica's /metrics.
func (p *pool) counters(ctx context.Context) ([]Counters, error) {
	all := make([]Counters, len(p.urls))
	for i, url := range p.urls {
		page, err := p.do(ctx, http.MethodGet, url+"/metrics", nil)
		if err != nil {
			return nil, err
		}
		if all[i], err = ReadCounters(bytes.NewReader(page)); err != nil {
			return nil, fmt.Errorf("%s/metrics: %w", url, err)
		}
	}
	return all, nil
}

// settled reads every replica's /metrics when no requests are in flight any more: a server counts an answer shortly
// after its client has it.
func (p *pool) settled(ctx context.Context, answered float64, before []Counters) ([]Counters, error) {
	for deadline := time.Now().Add(5 * time.Second); ; {
		all, err := p.counters(ctx)
		if err != nil {
			return nil, err
		}
		count, busy := 0.0, 0.0
		for i, c := range all {
			count += c.TTFT.Count() - before[i].TTFT.Count()
			busy += c.Waiting + c.Running
		}
		if count >= answered && busy == 0 || time.Now().After(deadline) {
			return all, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// reset empties every prefix cache. errNoSuchPage: the servers do not run with VLLM_SERVER_DEV_MODE=1.
func (p *pool) reset(ctx context.Context) error {
	for _, url := range p.urls {
		if _, err := p.do(ctx, http.MethodPost, url+"/reset_prefix_cache", nil); err != nil {
			return err
		}
	}
	return nil
}

// version is the version that the first server reports; "" if it reports none.
func (p *pool) version(ctx context.Context) string {
	if len(p.urls) == 0 {
		return ""
	}
	text, err := p.do(ctx, http.MethodGet, p.urls[0]+"/version", nil)
	var v struct{ Version string }
	if err != nil || json.Unmarshal(text, &v) != nil {
		return ""
	}
	return v.Version
}

// tokenize returns the token ids that the first server makes of a request's body, chat template included.
func (p *pool) tokenize(ctx context.Context, body []byte) ([]uint32, error) {
	text, err := p.do(ctx, http.MethodPost, p.urls[0]+"/tokenize", body)
	if err != nil {
		return nil, err
	}
	var answer struct{ Tokens []uint32 }
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("%s/tokenize: %w", p.urls[0], err)
	}
	return answer.Tokens, nil
}
