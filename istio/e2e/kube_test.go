//go:build e2eistio

package e2e

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// object is a Kubernetes object.
type object = map[string]any

// kube talks to the API server as its administrator.
type kube struct {
	base  string
	token string
	http  *http.Client
	mu    sync.Mutex
	kinds map[string]kind // by apiVersion and kind
}

// kind is where the objects of a kind are.
type kind struct {
	Name       string
	Namespaced bool
	Kind       string
}

var errNotFound = errors.New("not found")

func newKube(base, token string) *kube {
	return &kube{base: base, token: token, kinds: map[string]kind{}, http: &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}, // its own certificate, on loopback
	}}
}

// call sends body, if any, and decodes the answer.
func (k *kube) call(method, path, contentType string, body any) (object, error) {
	var text []byte
	if body != nil {
		var err error
		if text, err = json.Marshal(body); err != nil {
			return nil, err
		}
	}
	req, err := http.NewRequest(method, k.base+path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	req.Header.Set("authorization", "Bearer "+k.token)
	if contentType != "" {
		req.Header.Set("content-type", contentType)
	}
	response, err := k.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	switch {
	case err != nil:
		return nil, err
	case response.StatusCode == http.StatusNotFound:
		return nil, errNotFound
	case response.StatusCode >= 300:
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, answer)
	}
	var o object
	if json.Unmarshal(answer, &o) != nil {
		o = object{"text": string(answer)}
	}
	return o, nil
}

// path is where o is.
func (k *kube) path(o object) (string, error) {
	version, name := o["apiVersion"].(string), o["kind"].(string)
	group := "/apis/" + version
	if !strings.Contains(version, "/") {
		group = "/api/" + version
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	where, known := k.kinds[version+name]
	for deadline := time.Now().Add(20 * time.Second); !known; time.Sleep(100 * time.Millisecond) { // a new CRD takes a moment
		list, err := k.call(http.MethodGet, group, "", nil)
		if err == nil {
			var decoded struct{ Resources []kind }
			if err := convert(list, &decoded); err != nil {
				return "", err
			}
			for _, r := range decoded.Resources {
				if r.Kind == name && !strings.Contains(r.Name, "/") {
					where, known = r, true
				}
			}
		}
		if time.Now().After(deadline) {
			return "", fmt.Errorf("the API server has no %s %s: %v", version, name, err)
		}
	}
	k.kinds[version+name] = where
	if where.Namespaced {
		namespace := text(o, "metadata", "namespace")
		if namespace == "" {
			return "", fmt.Errorf("%s %s: no namespace", name, text(o, "metadata", "name"))
		}
		group += "/namespaces/" + namespace
	}
	return group + "/" + where.Name + "/" + text(o, "metadata", "name"), nil
}

// apply makes the object as o says, on the server's side.
func (k *kube) apply(o object) error { return k.applyPart(o, "") }

// applyStatus does so with the status, which is a resource of its own.
func (k *kube) applyStatus(o object) error { return k.applyPart(o, "/status") }

func (k *kube) applyPart(o object, part string) error {
	path, err := k.path(o)
	if err != nil {
		return err
	}
	_, err = k.call(http.MethodPatch, path+part+"?fieldManager=e2e&force=true", "application/apply-patch+yaml", o)
	return err
}

// remove deletes the object at once. One that is gone already is no error.
func (k *kube) remove(o object) error {
	path, err := k.path(o)
	if err != nil {
		return err
	}
	if _, err = k.call(http.MethodDelete, path+"?gracePeriodSeconds=0", "", nil); errors.Is(err, errNotFound) {
		err = nil
	}
	return err
}

// accountToken makes the service account, and a token with which it gets a certificate of Istio's.
func (k *kube) accountToken(namespace, account string) (string, error) {
	if err := k.apply(object{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": object{"namespace": namespace, "name": account}}); err != nil {
		return "", err
	}
	answer, err := k.call(http.MethodPost, "/api/v1/namespaces/"+namespace+"/serviceaccounts/"+account+"/token", "application/json",
		object{"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
			"spec": object{"audiences": []any{"istio-ca"}, "expirationSeconds": 3600}})
	return text(answer, "status", "token"), err
}

// list returns the objects of a collection, such as /api/v1/services.
func (k *kube) list(path string) ([]object, error) {
	answer, err := k.call(http.MethodGet, path, "", nil)
	if err != nil {
		return nil, err
	}
	var list struct{ Items []object }
	return list.Items, convert(answer, &list)
}

// convert decodes an object into a struct.
func convert(from, to any) error {
	text, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// at is the member of o that the names lead to; nil where there is none.
func at(o object, names ...string) any {
	var value any = o
	for _, name := range names {
		m, _ := value.(object)
		value = m[name]
	}
	return value
}

// text is at for strings.
func text(o object, names ...string) string {
	s, _ := at(o, names...).(string)
	return s
}
