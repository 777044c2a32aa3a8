package clocks

import (
	"slices"
	"testing"

	"warmroute/hostsim/internal/loose"
)

// A record's times come best first; an end and a duration say when it began.
func TestReadings(t *testing.T) {
	for text, want := range map[string][]Reading{
		`{"sent_at":1772355607,"ts":1772355600,"model":"m"}`:                      {{Name: "ts", Value: "1772355600", Raw: 1772355600, At: 1772355600}, {Name: "sent_at", Value: "1772355607", Raw: 1772355607, At: 1772355607}},
		`{"end_time":1772355607,"duration_ms":7000}`:                              {{Name: "end_time", Value: "1772355607", Raw: 1772355607, At: 1772355600, Took: 7}},
		`{"start_time":1772355600,"end_time":1772355607}`:                         {{Name: "start_time", Value: "1772355600", Raw: 1772355600, At: 1772355600, Took: 7, Both: true}},
		`{"time":1772355607,"request_time":7}`:                                    {{Name: "time", Value: "1772355607", Raw: 1772355607, At: 1772355600, Took: 7}}, // nginx's is the end
		`{"createdAt":{"$date":{"$numberLong":"1772355600000"}},"expires_at":99}`: {{Name: "createdAt", Value: `{"$date":{"$numberLong":"1772355600000"}…`, Raw: 1772355600, At: 1772355600}},
		`{"model":"m","time":"soon"}`:                                             nil,
	} {
		got := Of(loose.Read([]byte(text)).Object())
		if !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

// Days of a spreadsheet become seconds where all of a member are such; a log's own seconds stay.
func TestFromDays(t *testing.T) {
	at := func(name string, raw ...float64) (all [][]Reading) {
		for _, r := range raw {
			all = append(all, []Reading{{Name: name, Raw: r, At: r}})
		}
		return all
	}
	for name, c := range map[string]struct {
		all  [][]Reading
		want float64
	}{
		"days":          {at("date", 46347.375, 46347.5), 1795251600},
		"whole numbers": {at("date", 46347, 46348), 46347},
		"years apart":   {at("date", 26347.5, 46347.5), 26347.5},
		"one of 1970":   {at("date", 46347.5, 1.7e9), 46347.5},
		"a log's own":   {at("t", 46347.375, 46347.5), 46347.375},
	} {
		if FromDays(c.all); c.all[0][0].At != c.want {
			t.Errorf("%s: %v, want %v", name, c.all[0][0].At, c.want)
		}
	}
}
