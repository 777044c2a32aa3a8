package metrics

// labels are the endpoints of a filter that have labels of their own, by pool and address. They outlast its configurations: the proxy keeps the
// metrics of those before, and else each update would make as many more.
type labels map[string]bool

// filters are the labels of the VM's filters, by name.
var filters = map[string]labels{}

func labelsOf(filter string) labels {
	if filters[filter] == nil {
		filters[filter] = labels{}
	}
	return filters[filter]
}

// take says whether an endpoint has a label of its own, or gets one because fewer than most have.
func (l labels) take(pool, address string, most int) bool {
	of := pool + "\x00" + address
	if !l[of] && len(l) >= most {
		return false
	}
	l[of] = true
	return true
}
