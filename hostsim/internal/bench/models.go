package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// Model returns the first of Models.
func Model(ctx context.Context, base string) (string, error) {
	models, err := Models(ctx, base)
	if err != nil {
		return "", err
	}
	return models[0], nil
}

// Models returns the models that the server lists at GET /v1/models, at least one. It does not check the URL.
func Models(ctx context.Context, base string) ([]string, error) {
	c := newClient(Options{URL: base})
	defer c.http.CloseIdleConnections()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/v1/models", nil)
	if err != nil {
		return nil, err
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&list)
	if err != nil || len(list.Data) == 0 {
		return nil, fmt.Errorf("GET %s/v1/models: status %d names no model; give --model", base, response.StatusCode)
	}
	var names []string
	for _, model := range list.Data {
		names = append(names, model.ID)
	}
	return names, nil
}

// ModelOf is the model that a body names; "" if it names none.
func ModelOf(body []byte) string {
	var o struct {
		Model string `json:"model"`
	}
	_ = json.Unmarshal(body, &o)
	return o.Model
}
