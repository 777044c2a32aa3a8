package find

import (
	"warmroute/hostsim/internal/capture"
	"warmroute/hostsim/internal/loose"
)

// sessionOf returns the name of a record's session, "" if it names none: by a member of the record or of its body, or by one of their metadata or
// headers, or those of the request that the record has: it holds the body, or what holds it.
func sessionOf(o, body loose.Object) string {
	for _, at := range []loose.Object{o, body, members(o.Get(metadataNames)), body["metadata"].Object(), members(o.Get(requestNames).Object().Get(metadataNames))} {
		for _, name := range at.Names(sessionNames, false) {
			if s := only(at[name]).Text(); s != "" && s != "-" {
				return loose.Plain(name) + " " + s
			}
		}
	}
	return ""
}

// members are metadata or headers, an object or a list; none, if they are neither.
func members(v *loose.Value) loose.Object {
	if o := v.Object(); o != nil {
		return o
	}
	return capture.Headers(v)
}

// only is the first of a list, such as a header's values in Go's form, or else the value itself.
func only(v *loose.Value) *loose.Value {
	if list := v.Items(); len(list) > 0 {
		return list[0]
	}
	return v
}
