//go:build e2e

package e2e

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"strings"
)

// odd is a request of a client that does what few do.
type odd struct {
	name  string
	parts []string // as sent, with a pause after each
}

func oddRequests() (list []odd) {
	body := chat(story(1), "Odd?", nil)
	add := func(name string, parts ...string) { list = append(list, odd{name, parts}) }
	post := func(extra string) string {
		return "POST /v1/chat/completions HTTP/1.1\r\nhost: h\r\n" + extra
	}
	const json = "content-type: application/json\r\n"
	length := func(body string) string { return fmt.Sprintf("content-length: %d\r\n\r\n%s", len(body), body) }
	chunks := func(body string, sizes ...int) string {
		var b strings.Builder
		for i := 0; len(body) > 0; i++ {
			n := min(sizes[i%len(sizes)], len(body))
			fmt.Fprintf(&b, "%x;ext=\"a b\"\r\n%s\r\n", n, body[:n])
			body = body[n:]
		}
		return b.String() + "0\r\n"
	}
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE", "PATCH", "post", "PROPFIND"} {
		add(method+" with a body", method+" /v1/chat/completions HTTP/1.1\r\nhost: h\r\n"+json+length(body))
		add(method+" without", method+" /v1/chat/completions HTTP/1.1\r\nhost: h\r\n\r\n")
	}
	add("HTTP/1.0", "POST /v1/chat/completions HTTP/1.0\r\nhost: h\r\n"+json+length(body))
	add("HTTP/1.0 without host", "POST /v1/chat/completions HTTP/1.0\r\n"+json+length(body))
	add("HTTP/1.0, kept alive", "POST /v1/chat/completions HTTP/1.0\r\nhost: h\r\nconnection: keep-alive\r\n"+json+length(body))
	add("HTTP/1.0 without length", "POST /v1/chat/completions HTTP/1.0\r\nhost: h\r\n"+json+"\r\n"+body)
	add("HTTP/2.0 by name", "POST /v1/chat/completions HTTP/2.0\r\nhost: h\r\n"+json+length(body))
	add("100-continue", post(json+"expect: 100-continue\r\n"+fmt.Sprintf("content-length: %d\r\n\r\n", len(body))), body)
	add("100-continue, at once", post(json+"expect: 100-continue\r\n"+length(body)))
	add("expect something", post(json+"expect: more\r\n"+length(body)))
	add("no type", post(length(body)))
	add("text", post("content-type: text/plain\r\n"+length(body)))
	add("two types", post(json+"content-type: text/plain\r\n"+length(body)))
	add("two types, json last", post("content-type: text/plain\r\n"+json+length(body)))
	add("json twice", post(json+json+length(body)))
	add("a type with much behind it", post("content-type: application/json; charset=\"utf-8;\\\"json\"; a=b\r\n"+length(body)))
	add("an empty type", post("content-type:\r\n"+length(body)))
	add("length 0", post(json+"content-length: 0\r\n\r\n"))
	add("no length", post(json+"\r\n"))
	add("two lengths", post(json+"content-length: 3\r\n"+length(body)))
	add("the same length twice", post(json+fmt.Sprintf("content-length: %d\r\n", len(body))+length(body)))
	add("length and chunks", post(json+"transfer-encoding: chunked\r\n"+length(body)))
	add("a negative length", post(json+"content-length: -1\r\n\r\n"+body))
	add("a huge length", post(json+"content-length: 99999999999999999999\r\n\r\n"+body))
	add("a length with plus", post(json+"content-length: +5\r\n\r\n12345"))
	add("chunks of one", post(json+"transfer-encoding: chunked\r\n\r\n"+chunks(body, 1)+"\r\n"))
	add("chunks of 1, 7, 4096", post(json+"transfer-encoding: chunked\r\n\r\n"+chunks(body, 1, 7, 4096)+"\r\n"))
	add("chunks, and trailers", post(json+"transfer-encoding: chunked\r\ntrailer: x-sum\r\n\r\n"+chunks(body, 100)+"x-sum: 5\r\n\r\n"))
	add("trailers that steer", post(json+"transfer-encoding: chunked\r\ntrailer: x-gateway-destination-endpoint\r\n\r\n"+chunks(body, 100)+"x-gateway-destination-endpoint: 127.0.0.1:1\r\nx-y: 1\r\n\r\n"))
	add("no chunk", post(json+"transfer-encoding: chunked\r\n\r\n0\r\n\r\n"))
	add("no chunk, and trailers", post(json+"transfer-encoding: chunked\r\n\r\n0\r\nx-sum: 5\r\n\r\n"))
	add("chunks of two parts", post(json+"transfer-encoding: chunked\r\n\r\n"), "5\r\n{\"mod", "\r\n6\r\nel\":1}\r\n0\r\n", "\r\n")
	add("a broken chunk", post(json+"transfer-encoding: chunked\r\n\r\n5\r\n{\"mod\r\nzz\r\n"))
	add("an upgrade", post("connection: upgrade\r\nupgrade: websocket\r\n"+json+length(body)))
	add("an upgrade by GET", "GET /v1/realtime HTTP/1.1\r\nhost: h\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n")
	add("an upgrade to h2c", post("connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAARAAAAAAAIAAAAA\r\n"+json+length(body)))
	add("CONNECT", "CONNECT h:80 HTTP/1.1\r\nhost: h\r\n\r\n")
	add("an absolute path", "POST http://h/v1/chat/completions HTTP/1.1\r\nhost: h\r\n"+json+length(body))
	add("a path of its own", "POST * HTTP/1.1\r\nhost: h\r\n"+json+length(body))
	add("a long path", "POST /v1/chat/completions/"+strings.Repeat("a/", 12_000)+" HTTP/1.1\r\nhost: h\r\n"+json+length(body))
	add("a long query", "POST /v1/chat/completions?"+strings.Repeat("a=b&", 12_000)+" HTTP/1.1\r\nhost: h\r\n"+json+length(body))
	add("a path with all bytes", "POST /v1/chat/completions/%00%ff%2e%2e/../x;y=1?%zz HTTP/1.1\r\nhost: h\r\n"+json+length(body))
	add("a fragment", "POST /v1/chat/completions#x HTTP/1.1\r\nhost: h\r\n"+json+length(body))
	add("upper case", strings.Replace(post("CONTENT-TYPE: APPLICATION/JSON\r\nX-SESSION-ID: A\r\n"), "POST", "POST", 1)+length(body))
	add("bytes that are no UTF-8", post(json+"x-session-id: \xff\xfe\r\nx-\xff: 1\r\n"+length(body)))
	add("values that are no UTF-8", post(json+"x-session-id: \xff\xfe\r\nx-tenant: \xc3\x28\r\n"+length(body)))
	add("empty values", post(json+"x-session-id:\r\nx-tenant: \r\ncontent-encoding:\r\n"+length(body)))
	add("many headers", post(json+strings.Repeat("x-one: 1\r\n", 90)+length(body)))
	add("more headers than may be", post(json+strings.Repeat("x-one: 1\r\n", 150)+length(body)))
	add("headers that steer, ten times", post(json+strings.Repeat("x-gateway-destination-endpoint: 127.0.0.1:1\r\nx-warmroute-cluster: x\r\nx-warmroute-key: y\r\n", 10)+length(body)))
	add("multipart", "POST /v1/audio/transcriptions HTTP/1.1\r\nhost: h\r\ncontent-type: multipart/form-data; boundary=b\r\n"+
		length("--b\r\ncontent-disposition: form-data; name=\"model\"\r\n\r\nm\r\n--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"+strings.Repeat("\x00\xff", 100_000)+"\r\n--b--\r\n"))
	for _, name := range []string{"gzip", "x-gzip", "deflate", "br", "zstd", "identity", "gzip, gzip", "unknown"} {
		add("encoded: "+name, post(json+"content-encoding: "+name+"\r\n"+length(packed(name, body))))
	}
	add("encoded and said not to be", post(json+length(packed("gzip", body))))
	large := chat(strings.Repeat("A long story. ", 250_000), "Hello?", nil)
	add("3.5 MB", post(json+length(large)))
	add("3.5 MB in chunks", post(json+"transfer-encoding: chunked\r\n\r\n"+chunks(large, 100_000)+"\r\n"))
	for _, act := range []string{"early", "103", "204", "304", "gzip", "trailers", "empty", "long", "cut"} {
		add("answer: "+act, post("x-act: "+act+"\r\n"+json+length(body)))
		add("answer to HEAD: "+act, "HEAD /v1/chat/completions HTTP/1.1\r\nhost: h\r\nx-act: "+act+"\r\n\r\n")
		add("answer, streamed: "+act, post("x-act: "+act+"\r\n"+json+length(chat(story(2), "Odd?", streamed))))
	}
	add("an answer before a large body has come", post("x-act: early\r\n"+json+fmt.Sprintf("content-length: %d\r\n\r\n", len(large))+large[:200_000]), large[200_000:])
	add("two at once", post(json+length(body))+"GET /v1/models HTTP/1.1\r\nhost: h\r\n\r\n")
	add("line feeds alone", strings.ReplaceAll(post(json), "\r\n", "\n")+strings.ReplaceAll(length(body), "\r\n", "\n"))
	add("nothing but line feeds before it", "\r\n\r\n"+post(json+length(body)))
	return list
}

// packed is a body, encoded as far as the standard library can.
func packed(name, body string) string {
	var b bytes.Buffer
	switch {
	case strings.HasSuffix(name, "gzip"):
		z := gzip.NewWriter(&b)
		io.WriteString(z, body)
		z.Close()
	case name == "deflate":
		z, _ := flate.NewWriter(&b, 5)
		io.WriteString(z, body)
		z.Close()
	case name == "identity":
		return body
	default:
		return "\x28\xb5\x2f\xfd not " + name
	}
	return b.String()
}
