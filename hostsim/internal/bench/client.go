package bench

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"warmroute/hostsim/internal/workload"
)

// client sends one request after another and measures the times of the answers.
type client struct {
	base    string
	headers http.Header
	timeout time.Duration
	http    *http.Client
}

// do sends one turn and returns its record and the answer's text.
func (c *client) do(ctx context.Context, r workload.Request) (Record, string) {
	record := Record{Session: r.Session, Sent: r}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		record.fail("request", err)
		return record, ""
	}
	for name, values := range c.headers {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	began := time.Now()
	response, err := c.http.Do(request)
	if err != nil {
		record.fail(failure(err, "connect"), err)
		return record, ""
	}
	defer response.Body.Close()
	record.Status = response.StatusCode
	record.Replica = response.Header.Get("X-Replica")
	record.Decision = response.Header.Get(DecisionHeader)
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 512)) // only to quote it
		record.fail(strconv.Itoa(response.StatusCode), errors.New(strings.TrimSpace(string(text))))
		return record, ""
	}
	answer, err := record.readStream(response.Body, began)
	if err != nil {
		record.fail(failure(err, "stream"), err)
	}
	return record, answer
}

func failure(err error, otherwise string) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return "timeout"
	}
	return otherwise
}
