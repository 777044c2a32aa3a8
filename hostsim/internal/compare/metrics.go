package compare

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Counters is one reading of a replica's /metrics page, with vLLM's names. Tokens are those of its tokenizer.
type Counters struct {
	Queries  float64   // prefix_cache_queries_total: prompt tokens looked up
	Hits     float64   // prefix_cache_hits_total: of them, tokens found
	Computed float64   // request_prefill_kv_computed_tokens_sum: KV tokens computed in prefills
	TTFT     Histogram // time_to_first_token_seconds
	Queue    float64   // request_queue_time_seconds_sum: from a request's arrival at the scheduler until its first step
	Prefill  float64   // request_prefill_time_seconds_sum: from there to its first token
	Waiting  float64   // num_requests_waiting
	Running  float64   // num_requests_running
	Block    int       // cache_config_info's block_size, tokens; 0: not reported
}

// Histogram is one of Prometheus' cumulative histograms.
type Histogram struct {
	Bounds []float64 // upper bounds, ascending; the last is +Inf
	Counts []float64 // observations up to each bound
	Sum    float64
}

// ReadCounters reads a page in Prometheus' text format. It adds up the samples of one name, whatever their labels, because
// a server with data-parallel engines has a line for each engine. Error: a page without vLLM's prefix cache counters.
func ReadCounters(page io.Reader) (Counters, error) {
	var c Counters
	found := false
	buckets := map[float64]float64{}
	lines := bufio.NewScanner(page)
	lines.Buffer(make([]byte, 1<<16), 1<<20)
	for lines.Scan() {
		name, labels, value, ok := sample(lines.Text())
		if !ok {
			continue
		}
		switch name {
		case "vllm:prefix_cache_queries_total":
			c.Queries += value
			found = true
		case "vllm:prefix_cache_hits_total":
			c.Hits += value
		case "vllm:request_prefill_kv_computed_tokens_sum":
			c.Computed += value
		case "vllm:request_queue_time_seconds_sum":
			c.Queue += value
		case "vllm:request_prefill_time_seconds_sum":
			c.Prefill += value
		case "vllm:num_requests_waiting":
			c.Waiting += value
		case "vllm:num_requests_running":
			c.Running += value
		case "vllm:time_to_first_token_seconds_sum":
			c.TTFT.Sum += value
		case "vllm:time_to_first_token_seconds_bucket":
			if bound, err := strconv.ParseFloat(label(labels, "le"), 64); err == nil {
				buckets[bound] += value
			}
		case "vllm:cache_config_info":
			c.Block, _ = strconv.Atoi(label(labels, "block_size"))
		}
	}
	if err := lines.Err(); err != nil {
		return c, err
	}
	if !found {
		return c, fmt.Errorf("the page has no vllm:prefix_cache_queries_total")
	}
	for bound := range buckets {
		c.TTFT.Bounds = append(c.TTFT.Bounds, bound)
	}
	slices.Sort(c.TTFT.Bounds)
	for _, bound := range c.TTFT.Bounds {
		c.TTFT.Counts = append(c.TTFT.Counts, buckets[bound])
	}
	return c, nil
}

// sample splits `name{labels} value`.
func sample(line string) (name, labels string, value float64, ok bool) {
	if line == "" || line[0] == '#' {
		return
	}
	end := strings.LastIndexByte(line, ' ')
	if end < 0 {
		return
	}
	value, err := strconv.ParseFloat(line[end+1:], 64)
	name, labels, _ = strings.Cut(line[:end], "{")
	return name, strings.TrimSuffix(labels, "}"), value, err == nil
}

// label is the value of a label that has no escapes, or "".
func label(labels, name string) string {
	for pair := range strings.SplitSeq(labels, ",") {
		if key, value, ok := strings.Cut(pair, "="); ok && key == name {
			return strings.Trim(value, `"`)
		}
	}
	return ""
}

// minus returns the differences to an earlier page.
func (c Counters) minus(earlier Counters) Counters {
	c.Queries -= earlier.Queries
	c.Hits -= earlier.Hits
	c.Computed -= earlier.Computed
	c.Queue -= earlier.Queue
	c.Prefill -= earlier.Prefill
	c.TTFT = c.TTFT.minus(earlier.TTFT)
	return c
}

func (h Histogram) minus(earlier Histogram) Histogram {
	h.Counts = slices.Clone(h.Counts)
	if slices.Equal(h.Bounds, earlier.Bounds) { // false for a server that had answered nothing yet
		for i := range h.Counts {
			h.Counts[i] -= earlier.Counts[i]
		}
	}
	h.Sum -= earlier.Sum
	return h
}

// plus adds two histograms of equal bounds; one without bounds is empty.
func (h Histogram) plus(o Histogram) Histogram {
	if len(h.Bounds) == 0 {
		return o
	}
	h.Counts = slices.Clone(h.Counts)
	for i := range o.Counts {
		h.Counts[i] += o.Counts[i]
	}
	h.Sum += o.Sum
	return h
}

// Count is the number of observations.
func (h Histogram) Count() float64 {
	if len(h.Counts) == 0 {
		return 0
	}
	return h.Counts[len(h.Counts)-1]
}

// Quantile is Prometheus' histogram_quantile: linear within the bucket that holds it; 0 for no observations. In the last
// bucket it is that bucket's lower bound.
func (h Histogram) Quantile(q float64) float64 {
	rank := q * h.Count()
	for i, count := range h.Counts {
		if count < rank || count == 0 {
			continue
		}
		below, from := 0.0, 0.0
		if i > 0 {
			below, from = h.Counts[i-1], h.Bounds[i-1]
		}
		if math.IsInf(h.Bounds[i], 1) {
			return from
		}
		return from + (h.Bounds[i]-from)*(rank-below)/(count-below)
	}
	return 0
}
