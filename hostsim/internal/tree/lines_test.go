package tree

import "testing"

func TestLines(t *testing.T) {
	const text = `{
  "polcy": "random",
  "endpoints": [
    "10.0.0.1:80",
    {"address": "10.0.0.2:80",
     "weight": 0},
    {"zone": "a"}
  ],

  "scrape": {"path": "/x",
    "cluster":
      "c"}, "steer": {}
}
`
	lines := LinesOf([]byte(text))
	for field, want := range map[string]int{
		"polcy": 2, "endpoints": 3, "endpoints[0]": 4, "endpoints[1]": 5, "endpoints[1].weight": 6, "endpoints[2].address": 7, "scrape.path": 10,
		"scrape.cluster": 11, "steer.target": 12, "nowhere": 0, "\"odd name\"": 0, "": 0,
	} {
		if got := lines.Field(field); got != want {
			t.Errorf("%s is in line %d, want %d", field, got, want)
		}
	}
	if got := LinesOf([]byte(`{"polcy": 1}` + "\n")).Field("polcy"); got != 0 {
		t.Errorf("the only line is line %d", got)
	}
}
