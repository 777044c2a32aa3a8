package find

import (
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/chats"
	"warmroute/hostsim/internal/clocks"
	"warmroute/hostsim/internal/loose"
	"warmroute/hostsim/internal/pyrepr"
	"warmroute/hostsim/internal/rawjson"
)

// What a proxy's text line has around a body: nginx's $time_local or Envoy's %START_TIME% in brackets, and the request
// line with the status behind it (nginx.org, "log_format"; Envoy, "Access logging").
var (
	lineTime    = regexp.MustCompile(`\[(\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}|\d{4}-\d\d-\d\dT[0-9:.]+Z)\]`)
	lineRequest = regexp.MustCompile(`"([A-Z]+ \S+ HTTP/[0-9.]+)" (\d{3})\b`)
	linePairs   = regexp.MustCompile(`\b(status|path|method|rt|request_time)=(?:"([^"]*)"|(\S+))`) // logfmt's, and what people name in nginx's
	hexEscape   = regexp.MustCompile(`\\x([0-9A-Fa-f]{2})`)
)

// textLine reads a line of a text access log that has a body in it: as it is, as a JSON string (nginx's escape=json), or
// with \x22 for quotes (nginx's default). nil: there is none.
func textLine(line string) loose.Object {
	at, body := lineBody(line)
	if body == nil {
		return nil
	}
	o := loose.Object{"request_body": body}
	put := func(name, value string) { o[name] = loose.Made(value) }
	around := line[:at]
	if m := lineTime.FindStringSubmatch(around); m != nil {
		put("time", m[1])
	} else if when, ok := clocks.Prefix(around); ok {
		put("time", strconv.FormatFloat(when, 'f', 6, 64))
	} else if m := clocks.Dated(around); m != "" {
		put("time", m)
	}
	behind := line[strings.LastIndexByte(line, '}')+1:]
	for _, m := range linePairs.FindAllStringSubmatch(around+" "+behind, -1) {
		put(m[1], m[2]+m[3])
	}
	if m := lineRequest.FindStringSubmatch(around); m != nil {
		put("request", m[1])
		put("status", m[2])
	}
	return o
}

// lineBody finds the first thing in a line that is a request's body, and where it begins.
func lineBody(line string) (int, *loose.Value) {
	at := strings.IndexByte(line, '{')
	for tries := 0; at >= 0 && tries < 4; tries++ {
		text := []byte(line[at:])
		switch {
		case strings.HasPrefix(line[at:], `{\x22`):
			text = hexEscape.ReplaceAllFunc(text, func(code []byte) []byte {
				_, _ = hex.Decode(code, code[2:])
				return code[:1]
			})
		case strings.HasPrefix(line[at:], `{\"`) && at > 0 && line[at-1] == '"':
			if quoted := rawjson.First([]byte(line[at-1:])); quoted != nil {
				text = rawjson.Text(quoted)
			}
		case strings.HasPrefix(line[at:], "{'"):
			text = pyrepr.JSON(line[at:])
		}
		if body := loose.KnownValid(rawjson.First(text)); body.Bytes() != nil && chats.IsBody(body.Object()) {
			return at, body
		}
		next := strings.IndexByte(line[at+1:], '{')
		if next < 0 {
			break
		}
		at += 1 + next
	}
	return 0, nil
}
