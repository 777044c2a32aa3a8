// Package fetch reads pages over HTTP: of metrics, and of Envoy's admin interface.
package fetch

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"
)

// most bounds what is read of one page, in bytes.
const most = 256 << 20

// Page is what url answers to a GET. Errors name the URL: no answer within the timeout, a status other than 200, or a page
// that is too long.
func Page(ctx context.Context, url string, timeout time.Duration) ([]byte, error) {
	return page(ctx, url, timeout, most)
}

// StatusError is of a server that answers, with another status than 200.
type StatusError struct{ url, status string }

func (e StatusError) Error() string { return "GET " + e.url + ": status " + e.status }

func page(ctx context.Context, url string, timeout time.Duration, most int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, StatusError{url, response.Status}
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("GET %s: the page is longer than %d bytes", url, most)
	}
	return text, err
}
