package fetch

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestPage(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/page":
			io.WriteString(w, "a page")
		case "/slow":
			<-r.Context().Done()
		default:
			http.NotFound(w, r)
		}
	}))
	defer server.Close()
	for _, c := range []struct {
		path    string
		most    int64
		timeout time.Duration
		want    string // of the page, or of the error
		fails   bool
	}{
		{"/page", 6, time.Minute, "a page", false},
		{"/page", 5, time.Minute, "longer than 5 bytes", true},
		{"/none", 5, time.Minute, "/none: status 404", true},
		{"/slow", 5, time.Millisecond, "deadline", true},
	} {
		text, err := page(t.Context(), server.URL+c.path, c.timeout, c.most)
		if got := string(text); c.fails != (err != nil) || !c.fails && got != c.want || c.fails && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q, %v; want %q", c.path, got, err, c.want)
		}
	}
}
