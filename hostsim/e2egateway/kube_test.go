//go:build e2egateway

package e2egateway

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

type object = map[string]any

const (
	kubeURL = "https://127.0.0.1:6443"
	token   = "administrator"
)

var kube = &http.Client{
	Timeout:   30 * time.Second,
	Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, // its own certificate, on loopback
}

// refusal is an answer of the API server that is an error.
type refusal struct {
	status int
	text   string
}

func (r *refusal) Error() string { return r.text }

// call sends body, if any, and decodes the answer.
func call(method, path string, body any) (object, error) {
	text, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(method, kubeURL+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("authorization", "Bearer "+token)
	if method == http.MethodPatch {
		req.Header.Set("content-type", "application/apply-patch+yaml")
	}
	response, err := kube.Do(req)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= 300 {
		return nil, &refusal{response.StatusCode, fmt.Sprintf("%s %s: %s: %s", method, path, response.Status, answer)}
	}
	var o object
	_ = json.Unmarshal(answer, &o) // /readyz answers in text
	return o, nil
}

// collection is the path of the objects of o's kind: the resource's name is the kind's plural.
func collection(o object) string {
	version, kind := o["apiVersion"].(string), strings.ToLower(o["kind"].(string))
	if y, ok := strings.CutSuffix(kind, "cy"); ok {
		kind = y + "ci"
	}
	if strings.HasSuffix(kind, "xy") || strings.HasSuffix(kind, "ss") || strings.HasSuffix(kind, "ci") {
		kind = strings.TrimSuffix(kind, "y") + map[byte]string{'y': "ie", 's': "e", 'i': "e"}[kind[len(kind)-1]]
	}
	path := "/apis/" + version
	if !strings.Contains(version, "/") {
		path = "/api/" + version
	}
	if namespace, _ := meta(o)["namespace"].(string); namespace != "" && o["kind"] != "GatewayClass" { // which has none, whatever kustomize writes
		path += "/namespaces/" + namespace
	}
	return path + "/" + kind + "s"
}

func meta(o object) object { return o["metadata"].(object) }

// apply makes the object as `kubectl apply --server-side` would; try only asks whether it may be made.
func apply(t *testing.T, o object) { t.Helper(); patch(t, o, "") }
func try(t *testing.T, o object)   { t.Helper(); patch(t, o, "&dryRun=All") }

// patch applies o. A definition just made takes a moment to be served, and a busy server its time.
func patch(t *testing.T, o object, also string) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		_, err := call(http.MethodPatch, collection(o)+"/"+meta(o)["name"].(string)+"?fieldManager=e2e&force=true"+also, o)
		if err == nil {
			return
		}
		var refused *refusal
		final := errors.As(err, &refused) && refused.status >= 400 && refused.status < 500 && refused.status != http.StatusNotFound && refused.status != http.StatusTooManyRequests
		if final || time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// documents are those of a file in YAML.
func documents(t *testing.T, text []byte) (docs []object) {
	t.Helper()
	for part := range strings.SplitSeq("\n"+string(text), "\n---") {
		var doc object
		if err := yaml.Unmarshal([]byte(part), &doc); err != nil {
			t.Fatal(err)
		}
		if doc != nil {
			docs = append(docs, doc)
		}
	}
	return docs
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
