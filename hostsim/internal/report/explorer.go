package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Explorer is the part of a page where the reader picks a request and sees what each policy decided for it, and why.
type Explorer struct {
	Note string
	Data json.RawMessage
}

// Choice is what one policy did with one request. Times are in ms.
type Choice struct {
	At           float64 // since the start
	TTFT         float64
	Latency      float64
	Replica      int
	PromptTokens int
	CachedTokens int
	Decision     string // name=value pairs joined by ';'
	Impatient    bool   // its client did not wait for the answer, of which nothing is known
}

// Meaning says what a field of a decision is, given its value and that of "why".
type Meaning func(name, value, why string) string

// maxChoices bounds the size of the page: a choice takes about 110 bytes.
const maxChoices = 24_000

// notShown are fields of a decision that the page shows in another way, or once for all requests.
var notShown = map[string]bool{"policy": true, "endpoint": true, "ttft_us": true, "prompt_tokens": true, "cached_tokens": true}

// NewExplorer makes an explorer of what policies did with the same requests: choices[p][i] is policy p's choice for
// request i; a choice without prompt tokens was rejected, unless it is impatient. If there are more than maxChoices in all, it keeps evenly
// spread requests and the slowest of each policy.
func NewExplorer(policies []string, choices [][]Choice, meaning Meaning) (*Explorer, error) {
	total := len(choices[0])
	keep := sample(choices, max(maxChoices/len(policies), 1))
	x := explorerData{Policies: policies, Total: total, Requests: keep, Rows: make([][][]any, len(policies)), Meanings: map[string]string{}}
	shapes := map[string]int{}
	for p := range policies {
		for _, i := range keep {
			x.Rows[p] = append(x.Rows[p], x.row(&choices[p][i], shapes, meaning))
		}
	}
	data, err := json.Marshal(x)
	note := fmt.Sprintf("What each policy did with the same request, in its own words. %d requests can be looked at", len(keep))
	if len(keep) < total {
		note += fmt.Sprintf(" of %d: every %d-th, and the slowest", total, (total+len(keep)-1)/len(keep))
	}
	return &Explorer{Note: note + ".", Data: data}, err
}

// explorerData is what the page's script reads.
type explorerData struct {
	Policies []string          `json:"policies"`
	Total    int               `json:"total"`
	Requests []int             `json:"requests"`
	Shapes   [][]string        `json:"shapes"` // names of a decision's fields
	Meanings map[string]string `json:"meanings"`
	// By policy and place in Requests: at, ttft, latency, replica, prompt (−1: impatient), cached, shape, and the fields' values.
	Rows [][][]any `json:"rows"`
}

func (x *explorerData) row(c *Choice, shapes map[string]int, meaning Meaning) []any {
	names, values := []string{}, []any{}
	why := ""
	for pair := range strings.SplitSeq(c.Decision, ";") {
		name, value, _ := strings.Cut(pair, "=")
		if name == "why" {
			why = value
		}
		if name != "" && !notShown[name] {
			names, values = append(names, name), append(values, value)
		}
	}
	for i, name := range names {
		value, key := values[i].(string), name
		if name == "reason" || name == "why" {
			key += "=" + value
		}
		if name == "reason" && why != "" {
			key += ";why"
		}
		if _, ok := x.Meanings[key]; !ok {
			x.Meanings[key] = meaning(name, value, why)
		}
	}
	key := strings.Join(names, ";")
	shape, ok := shapes[key]
	if !ok {
		shape = len(x.Shapes)
		shapes[key] = shape
		x.Shapes = append(x.Shapes, names)
	}
	prompt := c.PromptTokens
	if c.Impatient {
		prompt = -1
	}
	tenth := func(v float64) json.Number { return json.Number(fmt.Sprintf("%.1f", v)) }
	return append([]any{tenth(c.At), tenth(c.TTFT), tenth(c.Latency), c.Replica, prompt, c.CachedTokens, shape}, values...)
}

// sample is at most n requests, in order: the slowest of each policy, and others evenly spread.
func sample(choices [][]Choice, n int) []int {
	total := len(choices[0])
	if total <= n {
		n = total
	}
	chosen := map[int]bool{}
	if total > n {
		slowest := max(n/20/len(choices), 1)
		for _, c := range choices {
			order := make([]int, total)
			for i := range order {
				order[i] = i
			}
			slices.SortFunc(order, func(a, b int) int {
				return cmp.Or(cmp.Compare(c[b].TTFT, c[a].TTFT), cmp.Compare(a, b))
			})
			for _, i := range order[:min(slowest, total)] {
				chosen[i] = true
			}
		}
	}
	even := n - min(len(chosen), n)
	for i := range even {
		chosen[i*total/even] = true
	}
	var keep []int
	for i := range chosen {
		keep = append(keep, i)
	}
	slices.Sort(keep)
	return keep
}
